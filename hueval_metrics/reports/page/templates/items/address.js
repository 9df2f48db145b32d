// The state of the item browser in the address: `#items?task=…&item=…`. Plain anchors of the page are left alone.
const itemAddress = (index) => {
  const START = "#items?";
  const COPIED = ["dimension", "outcome", "search", "sort", "reading", "finding"];
  const idOf = (number) => [index.names[index.task[number]], index.qid[number], ...(index.option[number] === null ? [] : [index.option[number]])].join("/");
  const placeOf = (list, text) => (list.includes(text) ? list.indexOf(text) : null);

  // What differs from the defaults, by names that stay the same when runs are added.
  const written = (state, defaults) => {
    const values = new URLSearchParams();
    if (state.task !== "") values.set("task", index.names[state.task]);
    for (const key of COPIED) if (state[key]) values.set(key, state[key]);
    if (state.answers) values.set("answers", "1");
    if (state.diff) values.set("diff", "1");
    if (state.model !== "") values.set("model", index.models[state.model]);
    for (const side of ["a", "b"]) if (state[side] !== defaults[side]) values.set(side, index.models[state[side]]);
    if (state.item !== null) values.set("item", idOf(state.item));
    return START + values;
  };
  // The state in an address, and all that is `named` in it; null where it has none. What is not there is left out.
  const read = (hash, defaults) => {
    if (!hash.startsWith(START)) return null;
    const values = new URLSearchParams(hash.slice(START.length));
    const item = values.get("item");
    const number = item === null ? -1 : index.qid.findIndex((_, number) => idOf(number) === item);
    const found = { ...defaults, task: placeOf(index.names, values.get("task")) ?? "", model: placeOf(index.models, values.get("model")) ?? "" };
    for (const key of COPIED) found[key] = values.get(key) ?? "";
    for (const side of ["a", "b"]) found[side] = placeOf(index.models, values.get(side)) ?? defaults[side];
    for (const key of ["answers", "diff"]) found[key] = values.get(key) === "1";
    return { ...found, item: number < 0 ? null : number, named: [...values] };
  };
  return { written, read };
};
