import { zoneFormats, zoneName } from '../../../publishing/status-pages/locale/times.ts';

/** An instant in words in a time zone: 21 November 2026 at 19:08 CET. The zone has the name that pages give it. */
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
  const zone = zoneName(zoneFormats(timezone, dateLocale), ms);
  const parts = format.formatToParts(ms).map(({ type, value }) => (type === 'timeZoneName' ? zone : value));
  return parts.join('');
}
