import test from 'ava';
import { monitorVersionEndpoints } from '#control-plane/monitoring/monitors/versions/routes.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { testSecretKey, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

test('a long history of a monitor is read in portions, and shown whole', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post({ name: 'old' })).body;
  const list = async () => (await world.api('GET', `/v0/monitors/${id}/versions?limit=200`)).body.data;
  const [created] = await list();
  await withSql(databaseOf(), async sql => {
    await sql.run`
      insert into audit_entries (
        id, project_id, at, actor, action, subject, detail, actor_type, via, before, after, also
      )
      select
        'aud_' || n, project_id, at + n * interval '1 second', actor, 'monitor.updated', subject, detail, actor_type,
        via, '{}', '{}', '[]'
      from audit_entries, generate_series(100, 219) n
      where id = ${created.id}`;
    const { rows: read } = sql;
    let largest = 0;
    const counting: Sql = {
      ...sql,
      rows: async (text, ...holes) => {
        const rows = await read<never>(text, ...holes);
        largest = Math.max(largest, rows.length);
        return rows;
      },
    };
    const [endpoint] = monitorVersionEndpoints({ keyring: createKeyring([testSecretKey]) });
    const { project_id: projectId } = (await world.api('GET', `/v0/monitors/${id}`)).body;
    const request = { sql: counting, caller: { projectId }, params: { id }, query: { limit: 200 } };
    if (endpoint?.kind !== 'transaction') return t.fail();
    const answer = await endpoint.handle(request as unknown as Parameters<typeof endpoint.handle>[0]);
    t.like(answer?.body, { data: { length: 121 } });
    t.true(largest > 0 && largest <= 51, `${largest} rows at once`);
  });
  const shown = await list();
  t.is(shown.length, 121);
  t.is(shown.at(-1).config_version, 1);
});
