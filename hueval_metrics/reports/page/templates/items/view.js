// One opened item: what was asked, and what two models replied, side by side.
const SIGNS = { r: "✓", p: "◐", w: "✗", n: "∅", u: "?", "-": "·" };

const itemView = (index, texts, choose) => {
  const { say, visible, box, runsBox, plain, folded, button } = texts;
  const { block } = itemData;
  const traceBox = index.findings ? traceReader(texts) : null; // without analyses of traces its script is not here
  const SIDES = ["a", "b"];
  const name = (model) => make("bdi", "", index.models[model]);
  const fileOf = (model, number) => index.where[model][index.task[number]];
  const langOf = (model, number) => index.langs[model][index.task[number]];
  const bare = (text) => make("bdi", "", ...visible(plain(text)));
  const outcomeOf = (model, number) => {
    const code = index.outcomes[model][number];
    const mark = index.marks[model][number];
    return make("span", `outcome ${OUTCOMES[code]}`, SIGNS[code], " ", say(`outcome_${OUTCOMES[code]}`), mark ? ` ${mark}` : "");
  };

  // --- a question with its parts filled in, right or wrong ---
  const partOf = ([, ...accepted], answer) => {
    const [given, right] = answer ?? [null, false];
    const wanted = accepted.filter((text) => text !== given);
    const told = make("span", "unseen", say(right ? "outcome_right" : "outcome_wrong"), ": ");
    const part = make("span", right ? "part right" : "part wrong", told, right ? "✓\u00a0" : "✗\u00a0");
    part.append(given ? make(right ? "span" : "s", "given", ...visible(given)) : make("i", "given", say("nothing_given")));
    if (wanted.length) {
      const gold = wanted.flatMap((text, place) => [place ? " / " : "", ...visible(text)]);
      part.append(make("span", "gold", right ? " =\u00a0" : " →\u00a0", make("span", "unseen", say("accepted"), " "), ...gold));
    }
    return part;
  };
  const markedOf = (question, parts, given) => {
    const text = plain(question);
    const filled = make("div", "marked");
    filled.lang = "";
    filled.dir = "auto";
    const left = new Map(parts.map(([mark], place) => [place, mark]).filter(([, mark]) => mark));
    const next = () => {
      const ahead = [...left].map(([place, mark]) => [text.indexOf(mark, done), place]).filter(([at]) => at >= 0);
      return ahead.sort(([x], [y]) => x - y)[0];
    };
    let done = 0;
    for (let found = next(); found; found = next()) {
      const [at, place] = found;
      filled.append(...visible(text.slice(done, at)), partOf(parts[place], given[place]));
      done = at + left.get(place).length;
      left.delete(place);
    }
    filled.append(...visible(text.slice(done)));
    const others = parts.map((part, place) => [part, given[place], place]).filter(([[mark], , place]) => !mark || left.has(place));
    const list = make("ol", "", ...others.map(([part, answer]) => make("li", "", partOf(part, answer))));
    return others.length ? make("div", "", filled, list) : filled;
  };

  // --- verdicts ---
  const rubricOf = (id) => {
    const details = folded(make("span", "", say("rubric"), " ", make("bdi", "", ...visible(id))));
    details.addEventListener("toggle", async () => {
      if (details.childElementCount > 1) return;
      const known = (await block("rubrics", 0))[id];
      const shown = known ? known.flatMap(([role, template]) => [make("h5", "", role), box(template)]) : [make("p", "soft", say("rubric_unknown"))];
      if (details.childElementCount === 1) details.append(...shown);
    });
    return details;
  };
  const verdictOf = (verdict, file) => {
    const facts = ["label", "score", "judge", "rubric", "error", "suspicious"].filter((key) => verdict[key]);
    const line = make("p", "", ...facts.flatMap((key, place) => [place ? ", " : "", key === "label" || key === "score" ? make("b", "", bare(verdict[key])) : bare(verdict[key])]));
    return verdict.raw ? [line, box(verdict.raw, file)] : [line];
  };
  const verdictsOf = (answer, file) => {
    if (!answer.verdicts) return [];
    const rubrics = new Set(answer.verdicts.map((one) => plain(one.rubric)).filter(Boolean));
    return [
      make("h4", "", say("verdict")),
      ...answer.verdicts.flatMap((verdict) => verdictOf(verdict, file)),
      ...[...rubrics].map(rubricOf),
      ...(answer.rated ? [make("p", "", say("rated"), " ", bare(answer.rated))] : []),
    ];
  };

  // --- how the answer was read ---
  const readingOf = (kind, rule, isMarked) => {
    const found = rule ? [" · ", index.words[`rule_${rule}`] ? say(`rule_${rule}`) : bare(rule)] : [];
    const legend = isMarked ? [" · ", make("mark", "read", say("read_legend"))] : [];
    return make("p", "reading", say("filter_reading"), ": ", make("b", "", say(`reading_${kind}`)), ...found, ...legend);
  };

  // --- one side ---
  const traceName = ({ tokens }) => make("span", "", say("trace"), ...(tokens ? [" · ", say("trace_size", { n: tokens })] : []));
  const sideHead = (side, model, number) => {
    const head = make("h3", "", ...(index.models.length > 1 ? [make("span", "side", side.toUpperCase()), " "] : []), name(model));
    const row = make("div", "who", head, " ", outcomeOf(model, number));
    return row;
  };
  // The rows of a side, in the order of those of the other: so they stand beside one another.
  const sideOf = (side, model, number, question, answer, runs) => {
    const file = fileOf(model, number);
    const lang = langOf(model, number);
    const rows = { head: [sideHead(side, model, number)], asked: [], parts: [], response: [], parsed: [], verdict: [], trace: [] };
    if (answer) {
      const [, , text, parts] = question ?? [];
      if (parts && answer.marked) rows.parts.push(make("h4", "", say("parts")), markedOf(text, parts, answer.marked));
      if (answer.asked) {
        const [prompt, reference] = answer.asked;
        rows.asked.push(folded(say("asked_so"), box(prompt, file, lang), make("h4", "", say("reference")), box(reference, file, lang)));
      }
      rows.response.push(make("h4", "", say("response")));
      if (answer.truncated) rows.response.push(make("p", "cut", say("was_truncated")));
      if (answer.at_limit) rows.response.push(make("p", "cut", say("was_at_limit")));
      const [kind, rule, spans] = answer.read ?? [];
      if (kind) rows.response.push(readingOf(kind, rule, spans.length > 0 && !runs));
      rows.response.push(runs ? runsBox(runs, lang) : box(answer.response, file, lang, spans));
      if (answer.second) rows.response.push(make("h4", "", say("second")), box(answer.second, file, lang));
      if (answer.parsed && !parts) rows.parsed.push(make("h4", "", say("parsed")), box(answer.parsed, file, lang));
      rows.verdict.push(...verdictsOf(answer, file));
      if (answer.trace) rows.trace.push(folded(traceName(answer), ...(answer.found ? traceBox(answer.found, answer.trace, file) : [box(answer.trace, file)])));
    }
    const section = make("section", `answer side-${side}`, ...Object.entries(rows).map(([key, some]) => make("div", `row-${key}`, ...some)));
    return section;
  };
  const openTogether = (pair) => {
    // What is unfolded on one side is unfolded on the other.
    pair.addEventListener(
      "toggle",
      (event) => {
        const row = event.target.closest("[class^=row-]");
        const place = all("details", row).indexOf(event.target);
        for (const other of all(`.${row.className}`, pair)) {
          const twin = all("details", other)[place];
          if (twin && twin !== event.target) twin.open = event.target.open;
        }
      },
      true, // toggle does not bubble
    );
    return pair;
  };

  // --- both sides ---
  const differences = (answers, isWanted) => {
    const whole = answers.map((answer) => answer?.response ?? "");
    if (!isWanted || answers.length < 2 || !answers.every(Boolean)) return [null, []];
    const found = whole.every((text) => typeof text === "string") ? wordDiff(...whole) : null;
    if (!found) return [null, [make("p", "soft told", say("diff_too_long"))]];
    const [a, b] = found.map((side) => side.alone);
    return [found.map((side) => side.runs), [make("p", "soft told", a + b ? say("diff_found", { a, b }) : say("diff_none"))]];
  };
  const modelsOf = (number, state) => {
    const strip = make("div", "models", make("span", "soft", say("all_models"), " "));
    index.models.forEach((model, place) => {
      const side = SIDES.find((one) => state[one] === place);
      const code = index.outcomes[place][number];
      const label = make("span", "", make("span", OUTCOMES[code], `${index.marks[place][number] || SIGNS[code]} `), make("span", "unseen", say(`outcome_${OUTCOMES[code]}`), ", "), name(place));
      if (side) strip.append(make("span", "chip chosen", make("span", "side", side.toUpperCase()), " ", label));
      else {
        const chip = button("compare", label);
        chip.className = "chip";
        chip.dataset.model = place;
        chip.append(make("span", "unseen", ", ", say("show_as_b")));
        chip.addEventListener("click", () => choose({ b: place }));
        strip.append(chip);
      }
    });
    return strip;
  };
  const pairOf = (number, state, question, answers) => {
    const chosen = SIDES.slice(0, index.models.length).map((side) => [side, state[side]]);
    const shown = chosen.map(([, model]) => answers[model]);
    const [runs, told] = differences(shown, state.diff);
    const sides = chosen.map(([side, model], place) => sideOf(side, model, number, question, shown[place], runs?.[place]));
    const pair = openTogether(make("div", sides.length > 1 ? "pair" : "pair single", ...sides));
    const content = make("div", "compared");
    if (index.models.length > 2) content.append(modelsOf(number, state));
    if (sides.length > 1) {
      // On a phone the sides stand below one another, and one can be put away.
      const sole = (shown) => {
        pair.dataset.only = shown;
        for (const each of all("button", only)) each.setAttribute("aria-pressed", String(each.name === shown));
      };
      const only = make("div", "switch", ...["a", "b", "both"].map((key) => button(key, key === "both" ? say("both") : key.toUpperCase())));
      for (const each of all("button", only)) each.addEventListener("click", () => sole(each.name));
      sole("both");
      content.append(only);
    }
    content.append(...told, pair);
    return content;
  };

  const dimensionName = (number) => index.dimension[number].split(" ").at(-1).toUpperCase(); // without its benchmark
  const label = (number) => [index.tasks[index.task[number]], dimensionName(number), `#${index.place[number]}`].filter(Boolean).join(" · ");
  const aboutOf = (number, actions) => {
    const option = index.option[number];
    const id = folded(say("id"), make("code", "", index.qid[number]));
    id.className = "id";
    return make("div", "about", ...(option === null ? [] : [make("span", "", say("right_option", { n: option }))]), id, ...actions);
  };
  const read = async (number, ids) => {
    const at = Math.floor(number / index.block);
    const blocks = await Promise.all(ids.map((id) => block(id, at)));
    return blocks.map((some) => some[number % index.block]);
  };
  // The answers of the two models alone are unpacked; the others when they are chosen.
  const answersFor = async (number, state) => {
    const models = [...new Set(SIDES.slice(0, index.models.length).map((side) => state[side]))];
    const found = await read(number, models.map((model) => `answers-${model}`));
    return Object.fromEntries(models.map((model, place) => [model, found[place]]));
  };
  const open = async (number, state, actions) => {
    const [[question], answers] = await Promise.all([read(number, ["questions"]), answersFor(number, state)]);
    const [prompt, reference] = question ?? [];
    const file = index.where.map((files) => files[index.task[number]]).find(Boolean);
    const lang = index.asked_in[index.task[number]];
    const asked = [
      make("section", "", make("h3", "", say("question")), box(prompt, file, lang)),
      make("section", "", make("h3", "", say("reference")), box(reference, file, lang)),
    ];
    return make("div", "item", aboutOf(number, actions), make("div", "asked", ...asked), pairOf(number, state, question, answers));
  };
  // The same item with other models, or with its differences.
  const refresh = async (item, number, state) => {
    const [[question], answers] = await Promise.all([read(number, ["questions"]), answersFor(number, state)]);
    one(".compared", item).replaceWith(pairOf(number, state, question, answers));
  };
  return { open, refresh, label, name, dimensionName };
};
