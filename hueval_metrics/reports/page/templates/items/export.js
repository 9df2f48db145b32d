// Export of items as CSV and JSON Lines, one line an answer, with the texts that the page has.
const CSV = (() => {
  // The same guard as of `hueval table --format csv`: an apostrophe before all that a spreadsheet may take for a formula.
  const BREAKS = ";\\t\\r\\n";
  const UNSEEN =
    '\\f\\v \\x00-\\x08\\x0e-\\x1f\\x7f-\\xa0"\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f' +
    "\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb" +
    "\\u{e0000}-\\u{e0fff}";
  const FORMULA = "=+\\-@＝﹦⁼₌＋﹢⁺₊－﹣⁻₋−＠﹫";
  const RUN = BREAKS + UNSEEN;
  const RISKY = new RegExp(`(^|(?<![${RUN}])[${RUN}]*[${BREAKS}])([${UNSEEN}]*)(?=[${FORMULA}])`, "gu");
  const inert = (text) => {
    const guarded = text.replace(RISKY, "$1'$2");
    return /^[\t\r]/.test(guarded) ? `'${guarded}` : guarded;
  };
  const cell = (value) => {
    if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
    const text = inert(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return { line: (cells) => `${cells.map(cell).join(",")}\r\n` };
})();

const itemExport = (index, texts) => {
  const { plain } = texts;
  const COLUMNS = [
    ...["task", "id", "option", "dimension", "model", "outcome", "mark", "prompt", "reference", "response", "trace", "parsed", "reading"],
    ...["truncated", "label", "score", "judge", "rubric", "judge_reply", "judge_error", "parts"],
  ];
  const rowOf = (number, model, question, answer) => {
    const [prompt, reference, , parts] = question ?? [];
    const verdict = answer.verdicts?.[0] ?? {};
    const marked = parts?.map(([mark, ...accepted], place) => {
      const [given, right] = answer.marked?.[place] ?? [null, false];
      return { mark, accepted, given, right };
    });
    return {
      task: index.names[index.task[number]],
      id: index.qid[number],
      option: index.option[number],
      dimension: index.dimension[number],
      model: index.models[model],
      outcome: OUTCOMES[index.outcomes[model][number]],
      mark: index.marks[model][number],
      prompt: plain(prompt),
      reference: plain(reference),
      response: plain(answer.response),
      trace: plain(answer.trace),
      parsed: plain(answer.parsed),
      reading: answer.read?.[0] ?? null,
      truncated: Boolean(answer.truncated),
      label: plain(verdict.label),
      score: plain(verdict.score),
      judge: plain(verdict.judge),
      rubric: plain(verdict.rubric),
      judge_reply: plain(verdict.raw),
      judge_error: plain(verdict.error),
      parts: answer.marked ? marked : null,
    };
  };
  const written = {
    csv: (row) => CSV.line(COLUMNS.map((name) => (name === "parts" && row.parts ? JSON.stringify(row.parts) : row[name]))),
    jsonl: (row) => `${JSON.stringify(row)}\n`,
  };
  const save = (blob, name) => {
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  // Writes the answers of some models to some items; `tell` takes the share that is done.
  return async (format, numbers, models, tell) => {
    // A byte order mark, without which Excel takes the text for another encoding.
    const parts = format === "csv" ? [`\uFEFF${CSV.line(COLUMNS)}`] : [];
    let text = "";
    for (const [place, number] of numbers.entries()) {
      const at = Math.floor(number / index.block);
      const ids = ["questions", ...models.map((model) => `answers-${model}`)];
      const blocks = await Promise.all(ids.map((id) => itemData.block(id, at)));
      const [question, ...answers] = blocks.map((some) => some[number % index.block]);
      answers.forEach((answer, n) => {
        if (answer) text += written[format](rowOf(number, models[n], question, answer));
      });
      if (text.length < 2_000_000) continue;
      parts.push(new Blob([text])); // out of the script's memory
      text = "";
      tell(Math.round((100 * place) / numbers.length));
      await new Promise((resolve) => setTimeout(resolve));
    }
    const type = format === "csv" ? "text/csv;charset=utf-8" : "application/jsonl";
    save(new Blob([...parts, text], { type }), `items.${format}`);
  };
};
