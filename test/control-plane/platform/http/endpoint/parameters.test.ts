import test from 'ava';
import fc from 'fast-check';
import {
  commaList,
  integerParameter,
  parseTimestamp,
  timestampSchema,
} from '#control-plane/platform/http/endpoint/parameters.ts';

const utc = (...parts: Parameters<typeof Date.UTC>) => Date.UTC(...parts);
const times: [text: string, ms: number | null][] = [
  ['2026-01-02T03:04:05Z', utc(2026, 0, 2, 3, 4, 5)],
  ['2026-01-02t03:04:05z', utc(2026, 0, 2, 3, 4, 5)],
  ['2026-01-02T03:04:05.6Z', utc(2026, 0, 2, 3, 4, 5, 600)],
  ['2026-01-02T03:04:05.678999999999999999Z', utc(2026, 0, 2, 3, 4, 5, 678)],
  ['2026-01-02T03:04:05+01:30', utc(2026, 0, 2, 1, 34, 5)],
  ['2026-01-02T03:04:05-00:00', utc(2026, 0, 2, 3, 4, 5)],
  ['2026-01-02T03:04:05-23:59', utc(2026, 0, 3, 3, 3, 5)],
  ['2024-02-29T00:00:00Z', utc(2024, 1, 29)],
  ['2000-02-29T00:00:00Z', utc(2000, 1, 29)],
  ['2026-06-30T23:59:60Z', utc(2026, 6, 1)],
  ['2026-06-30T23:59:60.5Z', utc(2026, 6, 1, 0, 0, 0, 500)],
  ['1970-01-01T00:00:00Z', 0],
  ['1970-01-01T00:00:00+01:00', -3_600_000],
  ['9999-12-31T23:59:59.999Z', utc(10_000, 0) - 1],
  ['9999-12-31T23:59:60Z', null],
  ['9999-12-31T23:59:59-00:01', null],
  ['1969-12-31T23:59:59Z', null],
  ['2023-02-29T00:00:00Z', null],
  ['1900-02-29T00:00:00Z', null],
  ['2026-13-01T00:00:00Z', null],
  ['2026-00-01T00:00:00Z', null],
  ['2026-01-32T00:00:00Z', null],
  ['2026-01-01T24:00:00Z', null],
  ['2026-01-01T00:60:00Z', null],
  ['2026-01-01T00:00:61Z', null],
  ['2026-01-01T00:00:00', null],
  ['2026-01-01T00:00:00.Z', null],
  ['2026-01-01T00:00:00123Z', null],
  ['2026-01-01T00:00Z', null],
  ['2026-01-01', null],
  ['2026-01-01 00:00:00Z', null],
  ['2026-01-01T00:00:00+24:00', null],
  ['2026-01-01T00:00:00+01:60', null],
  ['2026-01-01T00:00:00+0100', null],
  ['2026-01-01T00:00:00+01:00:00', null],
  ['2026-01-01T00:00:00Z[UTC]', null],
  ['+002026-01-01T00:00:00Z', null],
  [' 2026-01-01T00:00:00Z', null],
  ['2026-01-01T00:00:00Z\n', null],
  ['', null],
];
for (const [text, ms] of times)
  test(`the time ${JSON.stringify(text)} is ${ms === null ? 'refused' : new Date(ms).toISOString()}`, t =>
    t.is(parseTimestamp(text), ms));

test('every instant is read back from its text, in any offset, cut to milliseconds', t => {
  const instants = fc.date({ min: new Date('1971-01-01T00:00:00Z'), max: new Date('9998-12-31'), noInvalidDate: true });
  const offsets = fc.tuple(fc.constantFrom('+', '-'), fc.nat({ max: 23 }), fc.nat({ max: 59 }));
  fc.assert(
    fc.property(instants, offsets, fc.stringMatching(/^\d{0,10}$/), (instant, [sign, hours, minutes], more) => {
      const two = (number: number) => String(number).padStart(2, '0');
      const offsetMs = (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
      const local = new Date(instant.getTime() + offsetMs).toISOString().replace('Z', '');
      t.is(parseTimestamp(`${local}${more}${sign}${two(hours)}:${two(minutes)}`), instant.getTime());
    }),
  );
});

test('a comma list takes only its choices, and an integer only its range', t => {
  const list = commaList(['open', 'resolved']);
  t.deepEqual(list.parse('open,resolved'), ['open', 'resolved']);
  for (const text of ['', 'open,', 'open, resolved', 'Open', 'closed']) t.false(list.safeParse(text).success, text);
  const number = integerParameter(1, 10);
  t.is(number.parse('010'), 10);
  for (const text of ['', '0', '11', '-1', '1.5', '1e1', ' 1', '9'.repeat(16)])
    t.false(number.safeParse(text).success, text);
});

const refused: [text: string, code: string][] = [
  ['1969-12-31T23:59:59Z', 'out_of_range'],
  ['0001-01-01T00:00:00Z', 'out_of_range'],
  ['9999-12-31T23:59:60Z', 'out_of_range'],
  ['1969-02-30T00:00:00Z', 'format'],
  ['1969', 'format'],
];
for (const [text, code] of refused)
  test(`the time ${text} is refused as ${code}`, t => {
    const { error } = timestampSchema.safeParse(text);
    t.like(error?.issues, [{ code: 'custom', params: { code } }]);
  });
