// Data of the item browser: blocks of JSON, gzip in base64, that are unpacked when they are needed.
const itemData = (() => {
  const KEPT = 64; // blocks that stay open in memory
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
  const index = async () => {
    const found = await openBlock("index", 0);
    found.truncated = found.truncated.map((numbers) => new Set(numbers));
    const counts = {};
    found.place = found.task.map((task) => (counts[task] = (counts[task] ?? 0) + 1)); // of an item in its task, from 1
    return found;
  };
  return { index, packedBlocks, openBlock, block };
})();
