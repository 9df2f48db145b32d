// Finding items: filters, search in texts, and sorting.
const OUTCOMES = { r: "right", p: "partly", w: "wrong", n: "not_attempted", u: "unjudged", "-": "absent" };
// Kinds of readings, by the codes of the index.
const READINGS = { a: "answered", n: "nothing", r: "refused", s: "several", u: "unreadable" };
// Of two models: what the codes of their outcomes must be.
const PAIRS = {
  a_right: (a, b) => a === "r" && "pwn".includes(b),
  b_right: (a, b) => b === "r" && "pwn".includes(a),
  neither: (a, b) => "pwn".includes(a) && "pwn".includes(b),
  apart: (a, b) => a !== b && a !== "-" && b !== "-",
};

const itemFinder = (index, broken) => {
  const HELD = 100_000_000; // characters of answers, ready to be searched, that stay in memory
  const size = index.qid.length;
  const { packedBlocks, openBlock, block } = itemData;

  // --- filters: all but the outcome, and the outcome ---
  const isAsked = ({ task, dimension }, number) =>
    (!task || index.task[number] === Number(task)) && (!dimension || index.dimension[number] === dimension);
  // What was found in the traces: a bit for each name in `index.findable`.
  const hasFinding = ({ finding, model }, number) => {
    if (!finding) return true;
    const models = model ? [Number(model)] : index.findings.map((_, place) => place);
    return models.some((place) => index.findings[place][number] & index.findable[finding]);
  };
  const hasReading = ({ reading, model }, number) => {
    if (!reading) return true;
    const models = model ? [Number(model)] : index.readings.map((_, place) => place);
    return models.some((place) => index.readings[place][number] === reading);
  };
  const isPair = (name, { a, b }, number) => PAIRS[name](index.outcomes[a][number], index.outcomes[b][number]);
  const goesSo = ({ model, outcome, a, b }, number) => {
    if (PAIRS[outcome]) return isPair(outcome, { a, b }, number);
    const codes = index.outcomes.map((codes) => codes[number]);
    if (outcome === "differ") return new Set(codes.filter((code) => code !== "-")).size > 1;
    const models = model ? [Number(model)] : codes.map((_, place) => place);
    if (outcome === "truncated") return models.some((place) => index.truncated[place].has(number));
    if (!outcome && !model) return true;
    return models.some((place) => (outcome ? codes[place] === outcome : codes[place] !== "-"));
  };

  // --- search ---
  // Case and the accents of Latin, Greek and Cyrillic letters do not count; the signs of other scripts do.
  const folding = (text) => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "").normalize("NFC");
  const textsIn = (value) => {
    if (typeof value === "string") return folding(value);
    return value && typeof value === "object" ? Object.values(value).map(textsIn).join("\n") : "";
  };
  const damaged = () => {
    broken();
    return []; // the rest can be searched
  };
  const readQuestions = async () => {
    const read = async (at) => (await openBlock("questions", at).catch(damaged)).map(textsIn); // block by block: typing goes on
    const blocks = await Promise.all(packedBlocks("questions").map((_, at) => read(at)));
    return index.qid.map((qid, number) => `${folding(qid)}\n${blocks[Math.floor(number / index.block)][number % index.block] ?? ""}`);
  };
  let questions = null; // the text of each question to search in, once somebody searches
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

  // --- sorting: a key, with - before it for the highest first; items without the number stay below ---
  const columnFor = async (key, a, b) => {
    const [first, second] = await Promise.all([block("facts", a), block("facts", b)]);
    const higher = (one, other) => (one === undefined || one === null ? other : Math.max(one, other ?? one));
    if (key === "gap")
      return (n) => (first.score?.[n] == null || second.score?.[n] == null ? null : Math.abs(first.score[n] - second.score[n]));
    if (key === "spread") return (n) => higher(first.spread?.[n], second.spread?.[n]);
    return (n) => first[key]?.[n];
  };
  const sorter = async (sort, { a, b }) => {
    if (!sort) return (numbers) => numbers;
    const value = await columnFor(sort.replace("-", ""), a, b);
    const way = sort.startsWith("-") ? -1 : 1;
    return (numbers) =>
      numbers
        .map((number) => [number, value(number)])
        .sort(([, x], [, y]) => (x == null || y == null ? (x == null) - (y == null) : way * (x - y)))
        .map(([number]) => number);
  };

  // Calls `present` with the items that pass all but the filter for outcomes, sorted, and the share that is searched (null when done).
  let round = 0;
  const find = async (chosen, present) => {
    const mine = ++round;
    const isCurrent = () => mine === round;
    const asked = index.qid.map((_, number) => number).filter((number) => isAsked(chosen, number) && hasReading(chosen, number) && hasFinding(chosen, number));
    const wanted = folding(chosen.search.trim());
    const sorted = await sorter(chosen.sort, chosen);
    if (!isCurrent()) return;
    if (!wanted) return present(sorted(asked), null);
    const texts = await (questions ??= readQuestions());
    const known = new Set(asked.filter((number) => texts[number].includes(wanted)));
    const hitting = (hits) => sorted(asked.filter((number) => known.has(number) || hits.has(number)));
    if (!isCurrent()) return;
    if (!chosen.answers) return present(hitting(known), null);
    const models = chosen.model ? [Number(chosen.model)] : index.models.map((_, model) => model);
    const hits = await searchAnswers(wanted, models, isCurrent, (some, percent) => present(hitting(some), percent));
    if (isCurrent()) present(hitting(hits), null);
  };
  return { find, goesSo, isPair };
};
