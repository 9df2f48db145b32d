// Language, colours and sortable tables.
// --- language ---
const NUMERALS = {
  hu: (text) => text.replaceAll(", ", "; ").replaceAll(".", ","),
  en: (text) => text.replaceAll(",", ".").replaceAll("; ", ", "),
};
const translate = (within = document) => {
  for (const element of all("[data-en]", within)) element.textContent = element.dataset[root.lang];
};
const setLanguage = (language) => {
  if (language === root.lang) return;
  root.lang = language;
  translate();
  document.title = all("h1 > span").find((span) => span.lang === language).textContent;
  for (const cell of all("td.number"))
    for (const holder of [cell, ...all("b, small", cell)])
      for (const node of holder.childNodes)
        if (node.nodeType === Node.TEXT_NODE) node.data = NUMERALS[language](node.data);
};

// --- colours: a choice outranks the system's, on screen; print is always light ---
const setTheme = (theme) => {
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
};

// --- tables that sort by a column ---
const valueIn = (row, column) => {
  const cell = row.cells[column];
  const number = Number(cell.dataset.value ?? (cell.textContent.trim().replace(",", ".") || NaN));
  return cell.matches("td.number") ? (Number.isNaN(number) ? null : number) : cell.textContent;
};
const sortBy = (head) => {
  const table = head.closest("table");
  const column = Number(head.dataset.sort);
  const isNumber = head.matches(".number");
  const falling = head.ariaSort ? head.ariaSort === "ascending" : isNumber;
  for (const other of all("[aria-sort]", table)) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const compare = ([, a], [, b]) => {
    if (a === null || b === null) return (a === null) - (b === null); // rows without a number stay below
    return (isNumber ? a - b : a.localeCompare(b)) * (falling ? -1 : 1);
  };
  for (const body of table.tBodies) {
    const rows = [...body.rows].map((row) => [row, valueIn(row, column)]);
    body.append(...rows.sort(compare).map(([row]) => row));
  }
};
for (const head of all("th[data-sort]")) {
  const button = make("button", "", ...head.childNodes);
  button.type = "button";
  button.addEventListener("click", () => sortBy(head));
  head.append(button);
}

// --- sections that are folded: a link to one opens it ---
const unfold = () => {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (target) target.closest("details")?.setAttribute("open", "");
};
window.addEventListener("hashchange", unfold);
unfold();

one("#language").value = root.lang;
one("#language").addEventListener("change", (event) => setLanguage(event.target.value));
one("#theme").addEventListener("change", (event) => setTheme(event.target.value));
one(".controls").inert = false;
