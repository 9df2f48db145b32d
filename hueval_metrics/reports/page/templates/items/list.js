// The list of items: rows that open, a page at a time.
const itemList = (index, texts, view, { state, isOpened }) => {
  const { say, visible, button } = texts;
  const PAGE = matchMedia("(max-width: 40rem)").matches ? 10 : 50; // items in a page of the list
  const browser = one("#browser");
  const list = one("#list", browser);
  let found = [];
  let page = 0;
  let current = null; // the item that the keyboard stands at

  const markOf = (model, number) => {
    const code = index.outcomes[model][number];
    const sign = make("span", "", index.marks[model][number] || SIGNS[code]);
    sign.ariaHidden = "true";
    const told = make("span", "unseen", index.models[model], ": ", say(`outcome_${OUTCOMES[code]}`), "; ");
    const mark = make("span", OUTCOMES[code], sign, told);
    mark.title = index.models[model];
    return mark;
  };
  const rowOf = (number) => {
    const start = make("span", "start", ...visible(index.snippet[number] || index.qid[number]));
    start.dir = "auto";
    start.lang = index.asked_in[index.task[number]];
    const marks = make("span", "marks", ...index.models.map((_, model) => markOf(model, number)));
    const details = make("details", "", make("summary", "", make("span", "name", view.label(number)), start, marks));
    details.dataset.number = number;
    return make("li", "", details);
  };
  const detailsOf = (number) => one(`[data-number="${number}"]`, list);
  // The marks of A and B stand out.
  const point = () => {
    const { a, b } = state();
    for (const marks of all(".marks", list))
      [...marks.children].forEach((mark, model) => {
        if (index.models.length > 2) mark.toggleAttribute("data-chosen", model === a || model === b);
      });
  };
  const show = () => {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.max(0, Math.min(page, pages - 1));
    const old = new Map([...list.children].map((row) => [Number(row.firstChild.dataset.number), row]));
    const numbers = found.slice(page * PAGE, (page + 1) * PAGE);
    // A search that goes on leaves alone what stands there: an item that was opened stays open.
    if (String(numbers) !== String([...old.keys()]))
      list.replaceChildren(...numbers.map((number) => old.get(number) ?? rowOf(number)));
    one("#page").replaceChildren(say("page_of", { page: page + 1, pages }));
    for (const key of ["first", "previous"]) one(`[name="${key}"]`, browser).disabled = page === 0;
    for (const key of ["next", "last"]) one(`[name="${key}"]`, browser).disabled = page === pages - 1;
    point();
  };
  const present = (numbers, isNew) => {
    found = numbers;
    if (isNew) page = 0;
    show();
  };

  // --- opening ---
  const fillIn = async (details) => {
    const number = Number(details.dataset.number);
    const link = button("link", say("copy_link"));
    const content = await view.open(number, state(), [link]).catch(() => make("p", "cut", say("broken")));
    if (details.childElementCount === 1) details.append(content);
  };
  list.addEventListener(
    "toggle",
    (event) => {
      const details = event.target;
      if (!details.dataset.number) return;
      current = Number(details.dataset.number);
      isOpened(current, details.open);
      if (details.open && details.childElementCount === 1) fillIn(details);
    },
    true, // toggle does not bubble
  );
  list.addEventListener("focusin", (event) => {
    const details = event.target.closest("details[data-number]");
    if (details) current = Number(details.dataset.number);
  });
  const refreshItem = async (item) => {
    const hadFocus = item.contains(document.activeElement);
    await view.refresh(item, Number(item.parentElement.dataset.number), state());
    if (hadFocus && !item.contains(document.activeElement)) one(".models button", item)?.focus({ preventScroll: true });
  };
  const refresh = () => {
    point();
    for (const item of all("details[data-number] > .item", list))
      refreshItem(item).catch(() => item.replaceWith(make("p", "cut", say("broken"))));
  };

  // --- moving ---
  const turnTo = (number) => {
    const place = found.indexOf(number);
    if (place < 0) return null;
    if (Math.floor(place / PAGE) !== page) {
      page = Math.floor(place / PAGE);
      show();
    }
    return detailsOf(number);
  };
  const goTo = (number, isToOpen) => {
    const details = turnTo(number);
    if (!details) return false;
    current = number;
    details.open ||= isToOpen;
    one("summary", details).focus({ preventScroll: true });
    (isToOpen ? details : one("summary", details)).scrollIntoView({ block: isToOpen ? "start" : "nearest" });
    return true;
  };
  // The next item; one that is open is closed, and the next one opened.
  const step = (by) => {
    const place = found.indexOf(current);
    const next = place < 0 ? found[page * PAGE] : found[place + by];
    if (next === undefined) return;
    const old = place < 0 ? null : detailsOf(current);
    const wasOpen = Boolean(old?.open);
    if (wasOpen) old.open = false;
    goTo(next, wasOpen);
  };
  const toggle = () => {
    const details = current === null ? null : detailsOf(current);
    if (details) details.open = !details.open;
  };
  const close = () => {
    const details = current === null ? null : detailsOf(current);
    if (!details?.open) return;
    details.open = false;
    goTo(current, false);
  };
  const turns = { first: () => 0, previous: () => page - 1, next: () => page + 1, last: () => Infinity };
  for (const [key, turn] of Object.entries(turns))
    one(`[name="${key}"]`, browser).addEventListener("click", () => {
      page = turn();
      current = null;
      show();
      one("#found").scrollIntoView({ block: "nearest" });
    });
  return { present, refresh, goTo, step, toggle, close };
};
