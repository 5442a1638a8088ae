import test from 'ava';
import { integerLiteral, joinFragments } from '#control-plane/platform/db/compose-sql.ts';
import { type Fragment, fragment, sqlOf } from '#control-plane/platform/db/sql.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);

test('joined fragments keep their own parameters, in order', async t => {
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const select = (terms: readonly Fragment[]) =>
    sql.row<{ value: string }>`select ${joinFragments(terms, ' || ')} as value`;
  t.deepEqual(await select([fragment`'a'`]), { value: 'a' });
  t.deepEqual(await select([fragment`${'a'}::text`, fragment`'-'`, fragment`${'b'}::text || ${'c'}::text`]), {
    value: 'a-bc',
  });
  t.deepEqual(await sql.rows`select 1 as one ${joinFragments([], ', ')}`, [{ one: 1 }]);
});

test('an integer is text of the statement, and nothing else can be', t => {
  t.deepEqual([...integerLiteral(2 ** 19).strings], ['524288']);
  t.deepEqual([...integerLiteral(-1).strings], ['-1']);
  for (const value of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])
    t.throws(() => integerLiteral(value), { message: /is not an integer/ });
});
