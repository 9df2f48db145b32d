// The bar of a page that is served live: how far the runs are, and whether there is anything that the page lacks.
(() => {
  const OFTEN = 2000; // ms between two questions to the server
  const SELDOM = 10000; // where it does not answer: it may be behind a tunnel that comes back
  const SETTLED = 2000; // ms after which a page stays where its reader has put it
  const KEPT = "hueval view"; // what a reload keeps, in the storage of this tab
  const bar = one("#live");
  const WORDS = JSON.parse(bar.dataset.words);
  const shown = JSON.parse(bar.dataset.progress); // of the time when this page was made
  const isWaiting = !one("#items");

  // --- words: a value is a text, or one for each language ---
  const LANGUAGES = ["en", "hu"];
  const inEach = (key, values = {}) => {
    const value = (name, place) => (Array.isArray(values[name]) ? values[name][place] : values[name]);
    return WORDS[key].map((text, place) => text.replace(/\{(\w+)\}/g, (_, name) => value(name, place)));
  };
  const say = (key, values) =>
    make(
      "span",
      "",
      ...inEach(key, values).map((text, place) => {
        const span = make("span", "", text);
        span.lang = LANGUAGES[place];
        return span;
      }),
    );
  const duration = (seconds) => {
    if (seconds < 100) return inEach("live_seconds", { n: String(seconds) });
    const minutes = Math.round(seconds / 60);
    if (minutes < 100) return inEach("live_minutes", { n: String(minutes) });
    return inEach("live_hours", { n: String(Math.floor(minutes / 60)), m: String(minutes % 60) });
  };
  const decimal = (number) => {
    const text = number < 10 ? number.toFixed(1) : number.toFixed(0);
    return [text, text.replace(".", ",")];
  };

  // --- the bar ---
  const news = make("span");
  const button = make("button", "", say("live_show"));
  button.type = "button";
  button.hidden = true;
  const line = make("p", "", news, button);
  news.setAttribute("role", "status");
  const gauge = (done, total) => {
    const progress = make("progress");
    progress.max = Math.max(total, 1);
    progress.value = done;
    progress.ariaHidden = "true"; // the numbers beside it say the same
    return progress;
  };
  const answersOf = ({ done, total }) => say("live_answers", { done: String(done), total: String(total) });
  const fill = (details, run) => {
    const state = run.left === null ? say(`live_${run.state}`) : say("live_left", { time: duration(run.left) });
    details.firstChild.replaceChildren(make("bdi", "", run.model), gauge(run.done, run.total), answersOf(run), state);
    const facts = [say("live_elapsed", { time: duration(run.elapsed) }), say("live_idle", { time: duration(run.idle) })];
    if (run.per_minute !== null) facts.unshift(say("live_rate", { n: decimal(run.per_minute) }));
    const tasks = run.tasks.map((task) => make("li", "", gauge(task.done, task.total), make("bdi", "", task.task), answersOf(task)));
    if (run.state === "stopped") facts.push(say("live_resume"));
    details.lastChild.replaceChildren(make("li", "soft", ...facts), ...tasks);
  };
  const runs = all("details", bar); // a <details> for each run; those that stay keep whether they are open, and the focus
  const tell = (now) => {
    if (isWaiting && (now.answers || now.stored)) return location.reload();
    while (runs.length > now.runs.length) runs.pop().remove();
    while (runs.length < now.runs.length) {
      runs.push(make("details", "", make("summary"), make("ul")));
      line.before(runs.at(-1));
    }
    now.runs.forEach((run, place) => fill(runs[place], run));
    const added = now.answers - shown.answers;
    const isNew = now.results !== shown.results || added > 0;
    const idle = now.runs.length ? [] : [say(now.stored ? "live_finished" : "live_waiting")];
    const fresh = now.results !== shown.results ? say("live_results") : say("live_new", { n: String(added) });
    const said = make("span", "", ...(isNew ? [...idle, " ", fresh] : idle));
    if (news.textContent !== said.textContent) news.replaceChildren(said); // or it is read out again and again
    button.hidden = !isNew;
  };
  let waiting = 0;
  const ask = async () => {
    clearTimeout(waiting);
    let pause = OFTEN;
    try {
      const response = await fetch("progress", { cache: "no-store" });
      if (!response.ok) throw new Error(response.status);
      tell(await response.json());
    } catch {
      for (const run of runs.splice(0)) run.remove();
      news.replaceChildren(say("live_gone"));
      button.hidden = true;
      pause = SELDOM;
    }
    if (!document.hidden) waiting = setTimeout(ask, pause);
  };
  document.addEventListener("visibilitychange", () => document.hidden || ask());
  bar.append(line);
  new ResizeObserver(() => root.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);

  // --- a reload keeps the place, the language and the colours; the item browser keeps its filters in the address ---
  const choices = all("#language, #theme");
  button.addEventListener("click", () => {
    sessionStorage.setItem(KEPT, JSON.stringify([scrollY, ...choices.map((choice) => choice.value)]));
    location.reload();
  });
  const [place, ...kept] = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  sessionStorage.removeItem(KEPT);
  kept.forEach((value, at) => {
    choices[at].value = value;
    choices[at].dispatchEvent(new Event("change"));
  });
  if (place !== undefined) {
    // The page grows while the items are unpacked, and the item browser scrolls to what the address names.
    const goBack = () => scrollTo({ top: place, behavior: "instant" });
    const growing = new ResizeObserver(goBack);
    growing.observe(document.body);
    addEventListener("scroll", goBack);
    const settle = () => {
      growing.disconnect();
      removeEventListener("scroll", goBack);
    };
    for (const act of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(act, settle, { once: true });
    setTimeout(settle, SETTLED);
  }
  tell(shown);
  ask();
})();
