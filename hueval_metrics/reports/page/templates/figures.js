// --- values of figures: shown on hover, on touch and on keyboard focus ---
// A drawing is one stop of the tab key; the arrow keys go to the nearest mark in their direction.
{
  const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const numerals = (text) => (root.lang === "hu" ? NUMERALS.hu(text) : text); // the drawings have English ones
  const whatOf = ({ what, whatHu }) => (root.lang === "hu" && whatHu ? whatHu : what);
  const tip = make("div", "tip");
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // the mark's own label says the same
  document.body.append(tip);
  let shown = null;

  const hide = () => {
    shown?.classList.remove("shown");
    shown = null;
    tip.hidden = true;
  };
  const show = (mark) => {
    hide();
    shown = mark;
    const { model, value } = mark.dataset;
    tip.replaceChildren(make("b", "", model), make("span", "", whatOf(mark.dataset)), make("span", "", numerals(value)));
    tip.hidden = false;
    mark.classList.add("shown");
    const box = mark.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const left = box.left + box.width / 2 - own.width / 2;
    const above = box.top - own.height - 6;
    tip.style.left = `${Math.max(4, Math.min(left, root.clientWidth - own.width - 4))}px`;
    tip.style.top = `${above < 4 ? box.bottom + 6 : above}px`;
  };
  const middle = (mark) => {
    const box = mark.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const nearest = (mark, [right, down]) => {
    const [x, y] = middle(mark);
    let found = null;
    let least = Infinity;
    for (const other of all(".spot", mark.ownerSVGElement)) {
      const [dx, dy] = middle(other).map((value, side) => value - [x, y][side]);
      const along = dx * right + dy * down;
      const away = along + 3 * Math.abs(dx * down + dy * right);
      if (along > 1 && away < least) [found, least] = [other, away];
    }
    return found;
  };
  const focus = (mark) => {
    for (const other of all('.spot[tabindex="0"]', mark.ownerSVGElement)) other.setAttribute("tabindex", "-1");
    mark.setAttribute("tabindex", "0");
    mark.focus();
  };
  const markOf = (event) => event.target.closest?.(".spot");

  document.addEventListener("pointerover", (event) => (markOf(event) ? show(markOf(event)) : hide()));
  document.addEventListener("focusin", (event) => (markOf(event) ? show(markOf(event)) : hide()));
  document.addEventListener("scroll", hide, { passive: true });
  document.addEventListener("keydown", (event) => {
    const mark = markOf(event);
    if (!mark) return;
    const marks = all(".spot", mark.ownerSVGElement);
    const next = { Home: marks[0], End: marks.at(-1) }[event.key] ?? (WAYS[event.key] && nearest(mark, WAYS[event.key]));
    if (event.key === "Escape") hide();
    if (WAYS[event.key] || next) event.preventDefault();
    if (next) focus(next);
  });

  const label = () => {
    for (const mark of all(".spot")) {
      const { model, value } = mark.dataset;
      mark.setAttribute("aria-label", `${model}, ${whatOf(mark.dataset)}: ${numerals(value)}`);
    }
  };
  new MutationObserver(label).observe(root, { attributeFilter: ["lang"] });
  label();
}
