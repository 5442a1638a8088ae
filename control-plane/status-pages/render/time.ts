import { escapeText } from './escape.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const longMonths = 'January February March April May June July August September October November December'.split(' ');

/** Times of one page, in its zone. Made once a page: a formatter of Intl costs more than all its uses. */
export type Times = {
  zone: string;
  /** 21 Nov 2026, 14:05 UTC */
  text(at: number): string;
  /** The same as an element that machines can read. */
  html(at: number): string;
  /** From one to another; the day is said once where it is one day. */
  span(from: number, to: number): string;
  /** November 2026 */
  month(at: number): string;
};

/** A zone that this runtime does not know is shown as UTC rather than not at all. */
export function timesIn(timezone: string): Times {
  const zone = isZone(timezone) ? timezone : 'UTC';
  const digits = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const names = ['en-GB', 'en-US'].map(
    locale => new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' }),
  );
  const parts = (at: number) => Object.fromEntries(digits.formatToParts(at).map(part => [part.type, part.value]));
  const piecesOf = (at: number) => {
    const { year, month, day, hour, minute } = parts(at);
    const date = `${Number(day)} ${months[Number(month) - 1]} ${year}`;
    return { date, clock: `${hour}:${minute}`, zone: zoneName(names, at) };
  };
  const text = (at: number) => {
    const { date, clock, zone } = piecesOf(at);
    return `${date}, ${clock} ${zone}`;
  };
  const span = (from: number, to: number) => {
    const [start, end] = [piecesOf(from), piecesOf(to)];
    if (start.date !== end.date || start.zone !== end.zone)
      return `${element(from, text(from))} to ${element(to, text(to))}`;
    return `${element(from, `${start.date}, ${start.clock}`)} to ${element(to, `${end.clock} ${end.zone}`)}`;
  };
  return {
    zone,
    text,
    html: at => element(at, text(at)),
    span,
    month: at => {
      const { year, month } = parts(at);
      return `${longMonths[Number(month) - 1]} ${year}`;
    },
  };
}

function element(at: number, text: string): string {
  return `<time datetime="${instant(at)}">${escapeText(text)}</time>`;
}

/** 21 Nov 2026, of 2026-11-21. */
export function dayText(date: string): string {
  return `${Number(date.slice(8))} ${months[Number(date.slice(5, 7)) - 1]} ${date.slice(0, 4)}`;
}

/** 3 d 4 h, 2 h 6 min, 45 min, 12 s: the two largest units, rounded down. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, 'h', minutes % 60, 'min');
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** RFC 3339 in UTC with milliseconds, as the whole API writes it. */
export function instant(at: number): string {
  return new Date(at).toISOString();
}

function two(first: number, firstUnit: string, second: number, secondUnit: string): string {
  return second === 0 ? `${first} ${firstUnit}` : `${first} ${firstUnit} ${second} ${secondUnit}`;
}

/** CET, EST, UTC where the field has such a name, which one locale knows and another does not; else GMT+5:30. */
function zoneName(formats: readonly Intl.DateTimeFormat[], at: number): string {
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
