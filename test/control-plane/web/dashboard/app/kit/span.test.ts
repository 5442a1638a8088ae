import test from 'ava';
import { formatLength, formatSpan } from '#control-plane/web/dashboard/app/kit/span.ts';

test('a span says its dates once if it ends on the day on which it begins', t => {
  const rows: readonly (readonly [from: string, to: string, text: string, length: string])[] = [
    ['2026-12-01T02:00:00Z', '2026-12-01T03:30:00Z', 'Tue 2026-12-01 02:00–03:30 UTC', '1 h 30 min'],
    ['2026-12-01T22:00:00Z', '2026-12-02T00:00:00Z', 'Tue 2026-12-01 22:00 – Wed 2026-12-02 00:00 UTC', '2 h'],
    ['2026-12-31T23:00:00Z', '2027-01-01T01:00:00Z', 'Thu 2026-12-31 23:00 – Fri 2027-01-01 01:00 UTC', '2 h'],
    ['2028-02-28T00:00:00Z', '2028-02-29T00:00:00Z', 'Mon 2028-02-28 00:00 – Tue 2028-02-29 00:00 UTC', '1 d'],
  ];
  for (const [from, to, text, length] of rows) {
    t.is(formatSpan(from, to, 'utc'), text);
    t.is(formatLength(from, to), length);
  }
});

test('a span names its weekday, and its end in full only on another day', t => {
  t.is(formatSpan('2026-12-01T02:00:00Z', '2026-12-01T03:30:00Z', 'utc'), 'Tue 2026-12-01 02:00–03:30 UTC');
  t.is(
    formatSpan('2026-12-01T22:00:00Z', '2026-12-02T03:30:00Z', 'utc'),
    'Tue 2026-12-01 22:00 – Wed 2026-12-02 03:30 UTC',
  );
  t.is(formatLength('2026-12-01T02:00:00Z', '2026-12-01T03:30:00Z'), '1 h 30 min');
});
