import test from 'ava';
import fc from 'fast-check';
import { parseInstant } from '#control-plane/platform/db/parse-instant.ts';

test('instants as the server writes them are read to the millisecond', t => {
  const instants = fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') });
  fc.assert(
    fc.property(
      instants.filter(date => !Number.isNaN(date.getTime())),
      date => {
        // The server leaves out zeros at the end of the fraction.
        const text = date
          .toISOString()
          .replace('T', ' ')
          .replace(/\.?0*Z$/, '+00');
        t.is(parseInstant(text), date.getTime(), text);
      },
    ),
    { numRuns: 2000 },
  );
  t.is(parseInstant('2026-11-20 10:00:00+00'), Date.UTC(2026, 10, 20, 10));
  t.is(parseInstant('2026-11-20 10:00:00.5+00'), Date.UTC(2026, 10, 20, 10) + 500);
});

test('what is no such instant is read as before', t => {
  t.is(parseInstant('2026-11-20 10:00:00.123456+00'), Date.UTC(2026, 10, 20, 10) + 123);
  t.true(Number.isNaN(parseInstant('infinity')));
  t.true(Number.isNaN(parseInstant('')));
});
