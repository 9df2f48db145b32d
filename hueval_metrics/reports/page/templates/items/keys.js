// Keys of the item browser. They are dead while somebody types, and can be switched off.
const itemKeys = (actions) => {
  const help = one("#keys");
  const isTyping = (target) => target.closest("input, select, textarea, [contenteditable]");
  const showHelp = () => {
    help.showModal();
    one("[name=close]", help).focus();
  };
  one("[name=keys]").addEventListener("click", showHelp);
  one("[name=close]", help).addEventListener("click", () => help.close());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || event.defaultPrevented) return;
    if (event.key === "Escape" && event.target.matches("[name=search]")) event.target.blur();
    else if (isTyping(event.target) || !one("[name=single]", help).checked) return;
    else if (event.key === "?") showHelp();
    else if (actions[event.key]) actions[event.key]();
    else return;
    event.preventDefault();
  });
};
