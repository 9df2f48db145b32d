// The item browser.
(() => {
  const browser = one("#browser");
  if (!browser) return;
  const PAGE = 50; // items in a page of the list
  const KEPT = 64; // blocks of texts that stay open in memory
  const HELD = 100_000_000; // characters of answers, ready to be searched, that do
  const CODES = { r: "right", p: "partly", w: "wrong", n: "not_attempted", u: "unjudged", "-": "absent" };
  const SIGNS = { r: "✓", p: "◐", w: "✗", n: "∅", u: "?", "-": "·" };

  const inflate = async (base64) => {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    const { readable, writable } = new DecompressionStream("gzip");
    const writer = writable.getWriter();
    for (const step of [writer.write(bytes), writer.close()]) step.catch(() => {}); // the reader is told of a fault
    return JSON.parse(await new Response(readable).text());
  };
  const lines = {}; // the packed blocks of each data element
  const packedBlocks = (id) => (lines[id] ??= one(`#${id}`).textContent.split("\n"));
  const openBlock = async (id, number) => {
    const packed = packedBlocks(id)[number];
    return packed ? inflate(packed) : [];
  };
  const opened = new Map();
  const block = (id, number) => {
    const key = `${id} ${number}`;
    if (!opened.has(key)) opened.set(key, openBlock(id, number));
    const found = opened.get(key);
    opened.delete(key); // and again at the end: the first is the one longest unused
    opened.set(key, found);
    if (opened.size > KEPT) opened.delete(opened.keys().next().value);
    return found;
  };

  const browse = (index) => {
    const size = index.qid.length;
    const say = (key, values = {}) => {
      const spans = ["en", "hu"].map((language, place) => {
        const text = index.words[key][place].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
        const span = make("span", "", text);
        span.lang = language;
        return span;
      });
      return make("span", "", ...spans);
    };
    const form = one(".filters", browser);
    const list = one("#list", browser);
    let found = [];
    let page = 0;

    // Characters that do not show, or that turn the direction of what follows, stand there as their code points. An
    // emoji may be joined by U+200D and carry U+FE0F.
    const ODD = /(?!(?<=\p{Emoji})\uFE0F|(?<=[\p{Emoji}\uFE0F])\u200D|[\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu;
    const visible = (text) => {
      const nodes = [];
      let done = 0;
      for (const match of text.replaceAll("\r\n", "\n").matchAll(ODD)) {
        nodes.push(match.input.slice(done, match.index));
        const code = match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
        nodes.push(make("span", "odd", `U+${code}`));
        done = match.index + match[0].length;
      }
      return [...nodes, text.replaceAll("\r\n", "\n").slice(done)];
    };
    const box = (text, file) => {
      const pre = make("pre");
      pre.lang = "";
      pre.dir = "auto";
      pre.tabIndex = 0;
      if (!text) pre.append(say("empty_reply"));
      else if (typeof text === "string") pre.append(...visible(text));
      else {
        const cut = make("span", "cut", say("cut", { n: text[1], file }));
        pre.append(...visible(text[0]), cut, ...visible(text[2]));
      }
      return pre;
    };
    const name = (model) => make("bdi", "", index.models[model]);
    const folded = (summary, content) => make("details", "", make("summary", "", summary), content);

    // --- one item ---
    const dimensionName = (number) => index.dimension[number].toUpperCase();
    const taskName = (number) => index.tasks[index.task[number]];
    const verdictOf = (verdict, file) => {
      const plain = (text) => (typeof text === "string" ? text : `${text[0]}…${text[2]}`);
      const line = make("p");
      const facts = ["label", "score", "judge", "rubric", "error", "suspicious"].filter((key) => verdict[key]);
      line.append(...facts.flatMap((key, place) => [place ? ", " : "", make("bdi", "", ...visible(plain(verdict[key])))]));
      return verdict.raw ? [line, box(verdict.raw, file)] : [line];
    };
    const answerOf = (model, number, answer) => {
      const code = index.outcomes[model][number];
      const file = index.where[model][index.task[number]];
      const title = make("h3", "", name(model), " ", make("span", CODES[code], SIGNS[code], " ", say(`outcome_${CODES[code]}`)));
      if (index.marks[model][number]) title.append(` ${index.marks[model][number]}`);
      const section = make("div", "answer", title);
      if (!answer) return section;
      if (answer.truncated) section.append(make("p", "cut", say("was_truncated")));
      section.append(box(answer.response, file));
      if (answer.trace) section.append(folded(say("trace"), box(answer.trace, file)));
      if (answer.parsed) section.append(make("h4", "", say("parsed")), box(answer.parsed, file));
      if (answer.verdicts) {
        section.append(make("h4", "", say("verdict")));
        for (const verdict of answer.verdicts) section.append(...verdictOf(verdict, file));
      }
      if (answer.rated) section.append(make("p", "", say("rated"), " ", make("bdi", "", ...visible(answer.rated))));
      return section;
    };
    const itemOf = async (number) => {
      const at = Math.floor(number / index.block);
      const ids = ["questions", ...index.models.map((_, model) => `answers-${model}`)];
      const blocks = await Promise.all(ids.map((id) => block(id, at)));
      const [question, ...answers] = blocks.map((some) => some[number % index.block]);
      const content = make("div", "item");
      const about = [taskName(number), dimensionName(number), index.qid[number]].filter(Boolean).join(" · ");
      const option = index.option[number];
      content.append(make("p", "soft", make("bdi", "", about), ...(option !== null ? [" · ", say("right_option", { n: option })] : [])));
      const [prompt, reference] = question ?? [];
      const file = index.where.map((files) => files[index.task[number]]).find(Boolean);
      content.append(make("h3", "", say("question")), box(prompt, file));
      content.append(make("h3", "", say("reference")), box(reference, file));
      content.append(...answers.map((answer, model) => answerOf(model, number, answer)));
      return content;
    };

    // --- the list ---
    const markOf = (model, number) => {
      const code = index.outcomes[model][number];
      const sign = make("span", "", index.marks[model][number] || SIGNS[code]);
      sign.ariaHidden = "true";
      const told = make("span", "unseen", index.models[model], ": ", say(`outcome_${CODES[code]}`), "; ");
      return make("span", CODES[code], sign, told);
    };
    const rowOf = (number) => {
      const label = [taskName(number), dimensionName(number)].filter(Boolean).join(" · ");
      const start = make("span", "start", ...visible(index.snippet[number] || index.qid[number]));
      start.dir = "auto";
      start.lang = "";
      const marks = make("span", "marks", ...index.models.map((_, model) => markOf(model, number)));
      const details = make("details", "", make("summary", "", make("span", "name", label), start, marks));
      details.dataset.number = number;
      return make("li", "", details);
    };
    const show = () => {
      const pages = Math.max(1, Math.ceil(found.length / PAGE));
      page = Math.min(page, pages - 1);
      const old = new Map([...list.children].map((row) => [Number(row.firstChild.dataset.number), row]));
      const numbers = found.slice(page * PAGE, (page + 1) * PAGE);
      // A search that goes on leaves alone what stands there: an item that was opened stays open.
      if (String(numbers) !== String([...old.keys()]))
        list.replaceChildren(...numbers.map((number) => old.get(number) ?? rowOf(number)));
      one("#page").replaceChildren(say("page_of", { page: page + 1, pages }));
      for (const key of ["first", "previous"]) one(`[name="${key}"]`, browser).disabled = page === 0;
      for (const key of ["next", "last"]) one(`[name="${key}"]`, browser).disabled = page === pages - 1;
    };
    list.addEventListener(
      "toggle",
      async (event) => {
        const details = event.target;
        if (!details.dataset.number || !details.open || details.childElementCount > 1) return;
        const content = await itemOf(Number(details.dataset.number)).catch(() => make("p", "cut", say("broken")));
        if (details.childElementCount === 1) details.append(content);
      },
      true, // toggle does not bubble
    );

    // --- filters ---
    const folding = (text) => text.normalize("NFC").toLowerCase();
    const textsIn = (value) => {
      if (typeof value === "string") return folding(value);
      return value && typeof value === "object" ? Object.values(value).map(textsIn).join("\n") : "";
    };
    let questions = null; // the text of each question to search in, once somebody searches
    const damaged = () => {
      broken();
      return []; // the rest can be searched
    };
    const questionTexts = async () => {
      const blocks = await Promise.all(packedBlocks("questions").map((_, at) => openBlock("questions", at).catch(damaged)));
      const textIn = (number) => textsIn(blocks[Math.floor(number / index.block)]?.[number % index.block]);
      return index.qid.map((qid, number) => `${folding(qid)}\n${textIn(number)}`);
    };
    const matches = ({ task, dimension, model, outcome }, number) => {
      if (task && index.task[number] !== Number(task)) return false;
      if (dimension && index.dimension[number] !== dimension) return false;
      if (!outcome && !model) return true;
      const codes = index.outcomes.map((codes) => codes[number]);
      if (outcome === "differ") return new Set(codes.filter((code) => code !== "-")).size > 1;
      const models = model ? [Number(model)] : codes.map((_, place) => place);
      if (outcome === "truncated") return models.some((place) => index.truncated[place].has(number));
      return models.some((place) => (outcome ? codes[place] === outcome : codes[place] !== "-"));
    };
    const answerTexts = new Map(); // the texts of the answers in a block: opening it takes far longer than the search
    let held = 0;
    const textsOf = async (model, at) => {
      const key = `${model} ${at}`;
      if (answerTexts.has(key)) return answerTexts.get(key);
      const texts = (await openBlock(`answers-${model}`, at).catch(damaged)).map(textsIn);
      if (held < HELD && !answerTexts.has(key)) {
        held += texts.reduce((sum, text) => sum + text.length, 0);
        answerTexts.set(key, texts);
      }
      return texts;
    };
    const searchAnswers = async (wanted, models, isCurrent, tell) => {
      const hits = new Set();
      const total = Math.ceil(size / index.block);
      let told = performance.now();
      for (let at = 0; at < total && isCurrent(); at++) {
        for (const texts of await Promise.all(models.map((model) => textsOf(model, at))))
          texts.forEach((text, place) => {
            if (text.includes(wanted)) hits.add(at * index.block + place);
          });
        if (performance.now() - told < 100 || !isCurrent()) continue;
        tell(hits, Math.round((100 * (at + 1)) / total));
        await new Promise((resolve) => setTimeout(resolve)); // what was typed meanwhile comes first
        told = performance.now();
      }
      return hits;
    };
    let round = 0;
    const filter = async () => {
      const mine = ++round;
      const isCurrent = () => mine === round;
      const chosen = Object.fromEntries(new FormData(form));
      const numbers = index.qid.map((_, number) => number).filter((number) => matches(chosen, number));
      const wanted = folding(chosen.search.trim());
      const present = (some, said) => {
        found = some;
        one("#found").replaceChildren(said);
        show();
      };
      const done = (some) => present(some, say("found", { n: some.length }));
      page = 0;
      if (!wanted) return done(numbers);
      const texts = await (questions ??= questionTexts());
      const asked = new Set(numbers.filter((number) => texts[number].includes(wanted)));
      const hitting = (hits) => numbers.filter((number) => asked.has(number) || hits.has(number));
      if (!isCurrent()) return;
      if (!chosen.answers) return done([...asked]);
      const models = chosen.model ? [Number(chosen.model)] : index.models.map((_, model) => model);
      const tell = (hits, percent) => present(hitting(hits), say("searching", { percent }));
      const hits = await searchAnswers(wanted, models, isCurrent, tell);
      if (isCurrent()) done(hitting(hits));
    };
    const fill = (select, options) => {
      for (const [value, texts] of options) {
        const option = make("option");
        option.value = value;
        [option.dataset.en, option.dataset.hu] = typeof texts === "string" ? [texts, texts] : texts;
        form.elements[select].append(option);
      }
    };
    const codesOf = { ...CODES, truncated: "truncated", differ: "differ" };
    fill("task", [["", index.words["all"]], ...index.tasks.map((task, place) => [place, task])]);
    fill("dimension", [["", index.words["all"]], ...Object.entries(index.dimensions)]);
    fill("model", [["", index.words["any_model"]], ...index.models.map((model, place) => [place, model])]);
    fill("outcome", [["", index.words["all"]], ...Object.entries(codesOf).map(([code, key]) => [code, index.words[`outcome_${key}`]])]);
    translate(form);
    one("#key").append(say("marks"), " ", ...index.models.flatMap((_, model) => [model ? ", " : "", name(model)]), ". ");
    one("#key").append(...Object.entries(CODES).flatMap(([code, key], place) => [place ? ", " : "", `${SIGNS[code]} `, say(`outcome_${key}`)]), ".");

    let waiting = 0;
    form.addEventListener("input", (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => filter().catch(broken), event.target.type === "search" ? 100 : 0);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    const turns = { first: () => 0, previous: () => page - 1, next: () => page + 1, last: () => Infinity };
    for (const [key, turn] of Object.entries(turns))
      one(`[name="${key}"]`, browser).addEventListener("click", () => {
        page = turn();
        show();
        one("#found").scrollIntoView({ block: "nearest" });
      });
    browser.hidden = false;
    one("#no-script").hidden = true;
    return filter();
  };
  const broken = () => {
    one("#no-script").hidden = true;
    one("#broken").hidden = false;
  };
  inflate(one("#index").textContent)
    .then((index) => {
      index.truncated = index.truncated.map((numbers) => new Set(numbers));
      return browse(index);
    })
    .catch(broken);
})();
