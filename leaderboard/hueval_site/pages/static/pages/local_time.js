// Writes behind each time in UTC what the reader's clock shows then; without scripts UTC stands alone.
const clock = new Intl.DateTimeFormat("sv", { // year-month-day, as pages have it in both languages
  year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});
if (clock.resolvedOptions().timeZone !== "UTC") {
  for (const time of document.querySelectorAll("time[datetime]")) {
    time.after(` (${clock.format(new Date(time.dateTime))})`);
  }
}
