import { z } from 'zod';

/** Query or path without parameters: anything unknown is refused, so that a typing error is not an ignored filter. */
export const noParameters = z.strictObject({});

/** The last instant with a year of four digits: PostgreSQL does not read what JavaScript writes after it. */
export const timestampMax = Date.UTC(10_000, 0) - 1;

/** RFC 3339 with `Z` or an offset, as milliseconds since the epoch, truncated. */
export const timestampSchema = z
  .string()
  .max(64)
  .transform((text, context) => {
    const ms = parseTimestamp(text);
    if (ms !== null) return ms;
    context.addIssue({
      code: 'custom',
      params: { code: 'format' },
      message: 'must be an RFC 3339 time with Z or an offset',
    });
    return z.NEVER;
  })
  .meta({ format: 'date-time' });

/** Milliseconds since the epoch, or null when the text is no RFC 3339 time with an offset. */
export function parseTimestamp(text: string): number | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction, zone = ''] = match;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const inRange =
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= days &&
    Number(hour) <= 23 &&
    Number(minute) <= 59;
  if (!inRange || Number(second) > 60 || Number(year) < 1970) return null;
  const offset = zoneMinutes(zone);
  if (offset === null) return null;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const instant = ms + Number((fraction ?? '').slice(0, 3).padEnd(3, '0')) - offset * 60_000;
  return instant > timestampMax ? null : instant;
}

function zoneMinutes(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** A comma list of some of the choices. */
export function commaList<Choice extends string>(choices: readonly [Choice, ...Choice[]]) {
  return z
    .string()
    .max(500)
    .transform((text, context) => {
      const items = text.split(',');
      const known = items.filter((item): item is Choice => (choices as readonly string[]).includes(item));
      if (known.length === items.length) return known;
      context.addIssue({
        code: 'custom',
        params: { code: 'enum' },
        message: `must be a comma list of ${choices.join(', ')}`,
      });
      return z.NEVER;
    });
}

/** A whole number in a query. */
export function integerParameter(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

/** The range `from` (inclusive) to `to` (exclusive) of a list. */
export const rangeParameters = { from: timestampSchema.optional(), to: timestampSchema.optional() };
