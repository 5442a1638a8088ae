import { z } from 'zod';
import { secondMs } from '#shared/duration.ts';

/** Query or path without parameters. Unknown ones are refused, so that a misspelt filter is not ignored. */
export const noParameters = z.strictObject({});

/** The last millisecond of the year 9999: JavaScript writes later years in a form that PostgreSQL cannot read. */
export const timestampMax = Date.UTC(10_000, 0) - 1;

/** RFC 3339 with `Z` or an offset, as milliseconds since the epoch, truncated. */
export const timestampSchema = z
  .string()
  .max(64)
  .transform((text, context) => {
    const instant = readInstant(text);
    if (instant !== null && isInRange(instant)) return instant.ms;
    const [code, message] =
      instant === null
        ? ['format', 'must be an RFC 3339 time with Z or an offset']
        : ['out_of_range', 'must be in a year from 1970 to 9999'];
    context.addIssue({ code: 'custom', params: { code }, message });
    return z.NEVER;
  })
  .meta({ format: 'date-time' });

const date = String.raw`(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const hourAndMinute = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
const second = String.raw`([0-5]\d|60)(?:(\.\d{1,3})\d*)?`;
const timestampShape = new RegExp(`^(${date}T${hourAndMinute}:)${second}(Z|[+-]${hourAndMinute})$`);

/** Milliseconds since the epoch, truncated; null unless it is an RFC 3339 time with `Z` or an offset, from 1970 on. */
export function parseTimestamp(text: string): number | null {
  const instant = readInstant(text);
  return instant !== null && isInRange(instant) ? instant.ms : null;
}

type WrittenInstant = { ms: number; year: number };

function isInRange({ ms, year }: WrittenInstant): boolean {
  return year >= 1970 && ms <= timestampMax;
}

function readInstant(text: string): WrittenInstant | null {
  const match = timestampShape.exec(text.toUpperCase());
  if (match === null) return null;
  const [, start = '', year = '', month = '', day = '', seconds = '', fraction = '', zone = ''] = match;
  // Date.parse reads the 30th of February as a day in March.
  if (day > '28' && Number(day) > daysOfMonth(Number(year), Number(month))) return null;
  // A leap second is the first of the next minute, as PostgreSQL reads it.
  const isLeap = seconds === '60';
  const ms = Date.parse(`${start}${isLeap ? '59' : seconds}${fraction}${zone}`) + (isLeap ? secondMs : 0);
  return { ms, year: Number(year) };
}

function daysOfMonth(year: number, month: number): number {
  // Date.UTC reads years below 100 as those of the 20th century.
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

/** A comma-separated list of these choices. */
export function commaList<Choice extends string>(choices: readonly [Choice, ...Choice[]]) {
  return z
    .string()
    .max(500)
    .transform((text, context) => {
      const items = text.split(',');
      const valid = items.filter((item): item is Choice => (choices as readonly string[]).includes(item));
      if (valid.length === items.length) return valid;
      context.addIssue({
        code: 'custom',
        params: { code: 'enum' },
        message: `must be a comma-separated list of ${choices.join(', ')}`,
      });
      return z.NEVER;
    })
    .meta({ 'x-list-of': choices });
}

/** An integer in a query, as a number. */
export function integerParameter(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', pattern: undefined, minimum: min, maximum: max });
}

/** The range `from` (inclusive) to `to` (exclusive) of a list. */
export const rangeParameters = { from: timestampSchema.optional(), to: timestampSchema.optional() };
