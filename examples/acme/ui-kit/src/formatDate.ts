const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A calendar day the way the reader's country writes it: `5 March 2026`, `March 5, 2026`. */
export function formatDate(value: Date | string, locale = "en-GB"): string {
  const date = typeof value === "string" ? new Date(value) : value;
  return new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" }).format(date);
}

/** How long ago something was, in the largest unit that fits: `3 hours ago`, `in 2 days`. */
export function formatRelative(value: Date, now = new Date(), locale = "en-GB"): string {
  const difference = value.getTime() - now.getTime();
  const size = Math.abs(difference);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  if (size < HOUR) return format.format(Math.round(difference / MINUTE), "minute");
  if (size < DAY) return format.format(Math.round(difference / HOUR), "hour");
  return format.format(Math.round(difference / DAY), "day");
}
