import test from 'ava';
import fc from 'fast-check';
import { instants, integers, jsons, reals, smallints, texts } from '#control-plane/db/binary-array.ts';
import { instant } from '#control-plane/db/sql.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', '{', '}', ' ', 'é', '漢', '🙂', '\n', '\t') });

test('a column bound as a binary array is what the array literal of the same values is', async t => {
  const rows = fc.array(
    fc.record({
      text: orNull(text),
      json: fc.jsonValue().map(value => JSON.stringify(value)),
      instant: orNull(fc.integer({ min: -1e12, max: 9_100_000_000_000 })),
      smallint: orNull(fc.integer({ min: -32_768, max: 32_767 })),
      integer: orNull(fc.integer({ min: -2_147_483_648, max: 2_147_483_647 })),
      // PostgreSQL's literal of a negative zero depends on the driver; no measure of ours is one.
      real: orNull(fc.float({ noNaN: true, noDefaultInfinity: true }).map(value => (value === 0 ? 0 : value))),
    }),
    { maxLength: 20 },
  );
  const select = `select ($1::text[])::text as texts, ($2::json[])::text as jsons, ($3::timestamptz[])::text as instants,
    ($4::smallint[])::text as smallints, ($5::integer[])::text as integers, ($6::real[])::text as reals`;
  await withSql(database(), async sql => {
    await fc.assert(
      fc.asyncProperty(rows, async given => {
        const binary = await sql.rows(select, [
          texts(given.map(row => row.text)),
          jsons(given.map(row => row.json)),
          instants(given.map(row => row.instant)),
          smallints(given.map(row => row.smallint)),
          integers(given.map(row => row.integer)),
          reals(given.map(row => row.real)),
        ]);
        const literal = await sql.rows(select, [
          given.map(row => row.text),
          given.map(row => row.json),
          given.map(row => instant(row.instant)),
          given.map(row => row.smallint),
          given.map(row => row.integer),
          given.map(row => row.real),
        ]);
        t.deepEqual(binary, literal);
      }),
      { numRuns: 200 },
    );
  });
});

test('an instant is truncated to the millisecond, not rounded', async t => {
  const row = await withSql(database(), sql =>
    sql.row<{ at: number }>('select ($1::timestamptz[])[1] as at', [instants([1_800_000_000_000.9])]),
  );
  t.is(row?.at, 1_800_000_000_000);
});
