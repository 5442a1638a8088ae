import test from 'ava';
import { lockProject } from '#control-plane/analytics/flows/roll-up/queue-store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { apiOf, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);
const hourMs = 3_600_000;

async function releasesOf(sql: Sql, flowId: string): Promise<string[]> {
  const rows = await sql.rows<{ release_id: string }>`
    select distinct release_id from events_hourly where flow_id = ${flowId}`;
  return rows.map(row => row.release_id);
}

test('releases never wait for a running roll-up, and the next one attributes their hours', async t => {
  const { api, send, projectId, replica } = await openEventWorld(t, databaseOf());
  const flow = await api('POST', '/v0/flows', { name: 'Buy', steps: [{ event: 'a' }, { event: 'b' }] });
  const enteredMs = Date.now() - 2 * hourMs;
  await send({ name: 'a', external_user_id: 'u', timestamp: new Date(enteredMs).toISOString() });
  const rolledUp = () => withSql(databaseOf(), sql => releasesOf(sql, flow.body.id));
  await until(rolledUp, releases => releases.join() === '');
  await until(rolledUp, releases => releases.length === 1);
  const other = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const releaseId = await transaction(replica.pools.background, async sql => {
    await until(
      () => lockProject(sql, projectId),
      locked => locked,
    );
    const releasedAt = (minutes: number) => new Date(enteredMs - minutes * 60_000).toISOString();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        api('POST', '/v0/releases', { version: `${index}`, released_at: releasedAt(index + 1) }),
      ),
    );
    t.deepEqual([...new Set(answers.map(answer => answer.status))], [201]);
    t.is((await other('GET', '/v0/project')).status, 200);
    const report = await api('GET', `/v0/flows/${flow.body.id}/report?group_by=release`);
    t.deepEqual(
      report.body.releases.map((release: { version: string }) => release.version),
      ['0'],
      'reports know them at once',
    );
    t.deepEqual(await releasesOf(sql, flow.body.id), [''], 'the roll-up does not yet');
    return answers[0]?.body.id as string;
  });
  await until(rolledUp, releases => releases.join() === releaseId);
});
