import { hourMs, minuteMs, secondMs } from '#shared/duration.ts';

/** `2026-11-20 10:00:00`, then up to three digits of a fraction and `+00`. */
const usual = { minLength: 22, maxLength: 26, zone: '+00' };
const zero = 48;

let known = { day: '', ms: Number.NaN };

/**
 * Pure: an instant as PostgreSQL writes it in UTC, in milliseconds. Results of a month are many, and most share their
 * day with the one before: a third of what `Date.parse` takes.
 */
export function parseInstant(text: string): number {
  const { length } = text;
  if (length < usual.minLength || length > usual.maxLength || text[10] !== ' ' || !text.endsWith(usual.zone))
    return parseOther(text);
  const day = text.slice(0, 10);
  if (day !== known.day) known = { day, ms: Date.parse(`${day}T00:00:00Z`) };
  const time = twoDigits(text, 11) * hourMs + twoDigits(text, 14) * minuteMs + twoDigits(text, 17) * secondMs;
  return known.ms + time + fractionMs(text, length - usual.zone.length);
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - zero) * 10 + text.charCodeAt(at + 1) - zero;
}

/** Of the digits between the point and `end`; none if there is no point. */
function fractionMs(text: string, end: number): number {
  let ms = 0;
  let weight = 100;
  for (let at = 20; at < end; at++) {
    ms += (text.charCodeAt(at) - zero) * weight;
    weight /= 10;
  }
  return ms;
}

/** `infinity`, years before Christ or after 9999, and microseconds. */
function parseOther(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace(/\+00$/, 'Z')}`);
}
