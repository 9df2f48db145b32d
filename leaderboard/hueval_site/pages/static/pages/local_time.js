// Writes behind each time in UTC what a clock of the reader's shows then; without scripts UTC stands alone.
const clock = new Intl.DateTimeFormat(document.documentElement.lang, {
  year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});
if (new Date().getTimezoneOffset() !== 0 || clock.resolvedOptions().timeZone !== "UTC") {
  for (const time of document.querySelectorAll("time[datetime]")) {
    time.after(` (${clock.format(new Date(time.dateTime))})`);
  }
}
