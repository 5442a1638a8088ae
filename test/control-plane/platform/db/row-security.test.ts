import test from 'ava';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);

/** Rests on the conditions of its statements: see test/repository/events.test.ts. */
const withoutPolicy = ['events'];

test('row security is on every table whose rows belong to a project', async t => {
  await createTenant(database());
  const tables = await withSql(
    database(),
    sql => sql.rows<{ name: string; is_safe: boolean }>`
      select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as is_safe
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      order by c.relname`,
  );
  t.true(tables.length > 40);
  t.deepEqual(
    tables.filter(({ is_safe }) => !is_safe).map(({ name }) => name),
    withoutPolicy,
  );
});

test('a request sees facts, faults and slugs of its own project, and takes no slug of another', async t => {
  const [own, other] = [await openMonitorWorld(t, database()), await openMonitorWorld(t, database())];
  const slug = `taken-${other.projectId.slice(-8)}`;
  t.is((await other.api('POST', '/v0/status-pages', { name: 'Theirs', slug })).status, 201);
  t.is((await own.api('POST', '/v0/status-pages', { name: 'Ours', slug })).status, 409);
  t.is((await own.api('POST', '/v0/status-pages', { name: 'Ours', slug: `own-${slug}` })).status, 201);
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const client = await pools.api.connect();
  try {
    await client.query(`select set_config('app.project', $1, false)`, [own.projectId]);
    const sql = sqlOf(client);
    const seen = await sql.once`
      select project_id from page_slugs
      union
      select project_id from facts where project_id is not null
      union
      select project_id from region_faults where project_id is not null`;
    t.deepEqual(seen, [{ project_id: own.projectId }]);
  } finally {
    client.release(true);
  }
});
