/** An instant in words in a time zone: 21 November 2026 at 19:08 CET. */
export function timeText(ms: number, timezone: string, dateLocale: string): string {
  const format = new Intl.DateTimeFormat(dateLocale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timezone,
    timeZoneName: 'short',
  });
  return format.format(ms);
}
