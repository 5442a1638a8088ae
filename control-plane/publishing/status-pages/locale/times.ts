import { type Html, html } from '../../../platform/markup/html.ts';
import { fillHtml, type Language, memo } from './language.ts';

/** Formats times in the zone and language of one page. */
export type Times = {
  zone: string;
  /** 21 Nov 2026, 14:05 UTC */
  text(at: number): string;
  /** The same as a `time` element. */
  html(at: number): Html;
  /** From one instant to another; the day is given once if both are on the same day. */
  span(from: number, to: number): Html;
  /** November 2026 */
  month(at: number): string;
  /** 2026-11-21 as 21 Nov 2026. */
  day(date: string): string;
  /** From one date to another, both included: 21 Oct – 19 Nov 2026. */
  days(from: string, to: string): string;
  /** 2026-11-21 as 21 Nov. */
  shortDay(date: string): string;
};

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;

const known = new Map<string, Times>();
/** Zones and languages whose formatters are kept: each pair costs milliseconds to make. */
const knownMax = 200;

/** Falls back to UTC for a zone that this runtime does not know. */
export function timesIn(timezone: string, language: Language): Times {
  const key = `${language.locale} ${timezone}`;
  let times = known.get(key);
  if (times === undefined) {
    if (known.size >= knownMax) known.clear();
    times = makeTimes(timezone, language);
    known.set(key, times);
  }
  return times;
}

function makeTimes(timezone: string, { dateLocale, words }: Language): Times {
  const zone = isZone(timezone) ? timezone : 'UTC';
  const formatIn = (timeZone: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(dateLocale, { timeZone, calendar: 'gregory', numberingSystem: 'latn', ...options });
  const [dates, clocks] = [formatIn(zone, day), formatIn(zone, clock)];
  const months = formatIn(zone, { month: 'long', year: 'numeric' });
  const [calendarDays, shortDays] = [formatIn('UTC', day), formatIn('UTC', { day: 'numeric', month: 'short' })];
  const names = zoneFormats(zone, dateLocale);
  const calendarText = memo((date: string) => calendarDays.format(Date.parse(date)));
  const calendarSpan = memo((dates: string) => {
    const [from = '', to = ''] = dates.split(' ');
    return calendarDays.formatRange(Date.parse(from), Date.parse(to));
  });
  const text = (at: number) => `${dates.format(at)}, ${clocks.format(at)} ${zoneName(names, at)}`;
  const span = (from: number, to: number) => {
    const isOneDay = dates.format(from) === dates.format(to) && zoneName(names, from) === zoneName(names, to);
    const start = isOneDay ? `${dates.format(from)}, ${clocks.format(from)}` : text(from);
    const end = isOneDay ? `${clocks.format(to)} ${zoneName(names, to)}` : text(to);
    return fillHtml(words.incident.span, { start: element(from, start), end: element(to, end) });
  };
  const shortText = memo((date: string) => shortDays.format(Date.parse(date)));
  return {
    zone,
    text,
    html: at => element(at, text(at)),
    span,
    month: at => capitalised(months.format(at)),
    day: calendarText,
    days: (from, to) => calendarSpan(`${from} ${to}`),
    shortDay: shortText,
  };
}

/** RFC 3339 in UTC with milliseconds, as in the API. */
export function instant(at: number): string {
  return new Date(at).toISOString();
}

function element(at: number, text: string): Html {
  return html`<time datetime="${instant(at)}">${text}</time>`;
}

/** Months stand alone as headings, also in languages that write them in lower case. */
function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** For `zoneName`: the page's own language first. */
export function zoneFormats(timeZone: string, dateLocale: string): Intl.DateTimeFormat[] {
  return [dateLocale, 'en-GB', 'en-US'].map(
    locale => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' }),
  );
}

/** An abbreviation such as CET or EST, which only some locales know; GMT+5:30 where there is none. */
export function zoneName(formats: readonly Intl.DateTimeFormat[], at: number): string {
  const names = formats.map(format => format.formatToParts(at).find(part => part.type === 'timeZoneName')?.value ?? '');
  return names.find(name => /^[A-Z]+$/.test(name)) ?? names[0] ?? '';
}

function isZone(timezone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return true;
  } catch {
    return false;
  }
}
