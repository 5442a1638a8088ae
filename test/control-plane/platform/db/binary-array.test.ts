import test from 'ava';
import fc from 'fast-check';
import {
  type BinaryArray,
  bigints,
  byteas,
  instants,
  integers,
  jsons,
  reals,
  smallints,
  texts,
} from '#control-plane/platform/db/binary-array.ts';
import { instant, type Sql } from '#control-plane/platform/db/sql.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', '{', '}', ' ', 'é', '漢', '🙂', '\n', '\t') });

type Column = BinaryArray | readonly (string | number | null)[];
type Columns = Record<
  'texts' | 'jsons' | 'byteas' | 'instants' | 'smallints' | 'integers' | 'bigints' | 'reals',
  Column
>;

/** The columns as PostgreSQL understood them. */
function readBack(sql: Sql, columns: Columns): Promise<unknown> {
  return sql.row`
    select
      (${columns.texts}::text[])::text as texts,
      (${columns.jsons}::json[])::text as jsons,
      (${columns.byteas}::bytea[])::text as byteas,
      (${columns.instants}::timestamptz[])::text as instants,
      (${columns.smallints}::smallint[])::text as smallints,
      (${columns.integers}::integer[])::text as integers,
      (${columns.bigints}::bigint[])::text as bigints,
      (${columns.reals}::real[])::text as reals`;
}

test('a column bound as a binary array equals the array literal of the same values', async t => {
  const rows = fc.array(
    fc.record({
      text: orNull(text),
      json: fc.jsonValue().map(value => JSON.stringify(value)),
      bytea: orNull(fc.uint8Array({ maxLength: 40 })),
      instant: orNull(fc.integer({ min: -1e12, max: 9_100_000_000_000 })),
      smallint: orNull(fc.integer({ min: -32_768, max: 32_767 })),
      integer: orNull(fc.integer({ min: -2_147_483_648, max: 2_147_483_647 })),
      bigint: orNull(fc.maxSafeInteger()),
      // The literal of a negative zero depends on the driver; none of our measures is one.
      real: orNull(fc.float({ noNaN: true, noDefaultInfinity: true }).map(value => (value === 0 ? 0 : value))),
    }),
    { maxLength: 20 },
  );
  await withSql(database(), async sql => {
    await fc.assert(
      fc.asyncProperty(rows, async given => {
        const binary = await readBack(sql, {
          texts: texts(given.map(row => row.text)),
          jsons: jsons(given.map(row => row.json)),
          byteas: byteas(given.map(row => row.bytea)),
          instants: instants(given.map(row => row.instant)),
          smallints: smallints(given.map(row => row.smallint)),
          integers: integers(given.map(row => row.integer)),
          bigints: bigints(given.map(row => row.bigint)),
          reals: reals(given.map(row => row.real)),
        });
        const literal = await readBack(sql, {
          texts: given.map(row => row.text),
          jsons: given.map(row => row.json),
          byteas: given.map(row => (row.bytea === null ? null : `\\x${Buffer.from(row.bytea).toString('hex')}`)),
          instants: given.map(row => instant(row.instant)),
          smallints: given.map(row => row.smallint),
          integers: given.map(row => row.integer),
          bigints: given.map(row => row.bigint),
          reals: given.map(row => row.real),
        });
        t.deepEqual(binary, literal);
      }),
      { numRuns: 200 },
    );
  });
});

test('an instant is truncated to the millisecond, not rounded', async t => {
  const row = await withSql(
    database(),
    sql => sql.row<{ at: number }>`select (${instants([1_800_000_000_000.9])}::timestamptz[])[1] as at`,
  );
  t.is(row?.at, 1_800_000_000_000);
});
