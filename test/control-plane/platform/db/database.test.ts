import test from 'ava';
import pg from 'pg';
import { createDatabase, useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

test('a test file has its own migrated database, as the role of the application', async t => {
  const { rows } = await query(
    databaseOf(),
    'select current_user as role, (select count(*) from schema_migrations) > 0 as migrated',
  );
  t.deepEqual(rows, [{ role: 'upquorum', migrated: true }]);
});

test('clones of the template are created at once, share nothing, and are dropped while sessions are open', async t => {
  const databases = await Promise.all(Array.from({ length: 8 }, () => createDatabase()));
  await Promise.all(databases.map(({ url }) => query(url, 'create table marker as select current_database() as name')));
  const names = await Promise.all(
    databases.map(async ({ url }) => (await query(url, 'select name from marker')).rows[0]),
  );
  t.is(new Set(names.map(row => row?.name)).size, databases.length);
  const open = new pg.Client({ connectionString: databases[0]?.url });
  open.on('error', () => {});
  await open.connect();
  await Promise.all(databases.map(database => database.drop()));
  await t.throwsAsync(query(databases[0]?.url ?? '', 'select 1'), { code: '3D000' });
});

async function query(url: string, statement: string): Promise<pg.QueryResult<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
