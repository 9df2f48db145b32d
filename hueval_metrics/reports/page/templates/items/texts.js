// Texts of the item browser as elements: the page's own words in both languages, and what models and judges wrote.
const itemTexts = (words) => {
  const say = (key, values = {}) => {
    const spans = ["en", "hu"].map((language, place) => {
      const text = words[key][place].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
      const span = make("span", "", text);
      span.lang = language;
      return span;
    });
    return make("span", "", ...spans);
  };
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
  // `lang` chooses the glyphs of Chinese, Korean and Serbian letters; the direction follows from the text itself.
  const paper = (lang, ...children) => {
    const pre = make("pre", "", ...children);
    pre.lang = lang;
    pre.dir = "auto";
    pre.tabIndex = 0;
    return pre;
  };
  // A part of a text, which begins at `start`, with marks where its answer was read.
  const withRead = (text, spans, start = 0) => {
    const nodes = [];
    let done = 0;
    for (const [from, to] of spans) {
      const [first, end] = [Math.max(from - start, done), Math.min(to - start, text.length)];
      if (first >= end) continue;
      nodes.push(...visible(text.slice(done, first)), make("mark", "read", make("span", "unseen", say("read_here"), " "), ...visible(text.slice(first, end))));
      done = end;
    }
    return [...nodes, ...visible(text.slice(done))];
  };
  // A text is whole; or its start, how many characters were cut, and its end. Spans are of start and end together.
  const box = (text, file, lang = "", spans = []) => {
    if (!text) return paper("", say("empty_reply"));
    if (typeof text === "string") return paper(lang, ...withRead(text, spans));
    const [head, n, tail] = text;
    return paper(lang, ...withRead(head, spans), make("span", "cut", say("cut", { n, file })), ...withRead(tail, spans, head.length));
  };
  const runsBox = (runs, lang = "") =>
    paper(lang, ...runs.flatMap(([text, shared]) => (shared ? visible(text) : [make("mark", "alone", ...visible(text))])));
  const plain = (text) => (typeof text === "string" ? text : text ? `${text[0]} […${text[1]}…] ${text[2]}` : "");
  const folded = (summary, ...content) => make("details", "", make("summary", "", summary), ...content);
  const button = (name, content) => {
    const made = make("button", "", content);
    made.type = "button";
    made.name = name;
    return made;
  };
  return { say, visible, box, runsBox, plain, folded, button };
};
