import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { apiOf, configFor, startReplica, testSecretKey, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);
const main = fileURLToPath(new URL('../../../control-plane/main.ts', import.meta.url));
const count = 300;

/** The API in a process of its own; `kill` is kill -9. */
async function startFront(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-front-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const port = await fixedPort();
  const env = {
    ...process.env,
    DATABASE_URL: databaseOf(),
    SECRETS_KEYS: testSecretKey,
    PUBLIC_URL: configFor(databaseOf()).publicUrl,
    ROLES: 'front',
    PORT: String(port),
    PAGES_DIR: folder,
    LOG_LEVEL: 'silent',
  };
  const child = spawn(process.execPath, [main], { env, stdio: 'ignore' });
  const ended = new Promise(resolve => child.once('exit', resolve));
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  t.teardown(kill);
  const url = `http://127.0.0.1:${port}`;
  await until(
    () =>
      fetch(`${url}/v0/openapi.json`).then(
        ({ ok }) => ok,
        () => false,
      ),
    true,
  );
  return { url, kill };
}

/** Statements of an apply that its transaction has written so far: what nobody else can see yet. */
const isWriting = () =>
  withSql(databaseOf(), async sql => {
    const row = await sql.row<{ count: number }>`
      select count(*) as count
      from pg_stat_activity
      where datname = current_database()
        and backend_xid is not null
        and query like '%flows%'`;
    return (row?.count ?? 0) > 0;
  });

test('kill -9 of the control plane amid an apply leaves nothing of it, and the plan can be applied again', async t => {
  const { api, token, projectId } = await openMonitorWorld(t, databaseOf());
  await withSql(
    databaseOf(),
    sql => sql.run`insert into project_quotas (project_id, resource, maximum) values (${projectId}, 'flows', 900)`,
  );
  const flows = Array.from({ length: count }, (_, index) => {
    return { key: `f${index}`, name: `F${index}`, steps: [{ event: 'a' }, { event: 'b' }] };
  });
  const planned = await api('POST', '/v0/config/plan', { document: { upquorum: 1, manager: 'git-ops', flows } });
  t.like(planned.body, { applicable: true, counts: { create: count } }, JSON.stringify(planned.body).slice(0, 500));
  const apply = { plan_id: planned.body.id };
  const stored = () =>
    withSql(databaseOf(), async sql => {
      const rows = await sql.rows`select 1 from flows where project_id = ${projectId}`;
      const owned = await sql.rows`select 1 from resource_owners where project_id = ${projectId}`;
      return [rows.length, owned.length];
    });
  const front = await startFront(t);
  const answer = apiOf(front.url, token)('POST', '/v0/config/apply', apply).then(
    () => 'answered',
    () => 'broken',
  );
  await until(isWriting, true);
  await front.kill();
  t.is(await answer, 'broken');
  t.deepEqual(await stored(), [0, 0]);
  t.is((await api('GET', `/v0/config/plans/${planned.body.id}`)).body.applied_at, null);
  const second = await startReplica(databaseOf(), { roles: ['front'] });
  t.teardown(() => second.stop());
  const both = [api, apiOf(second.url, token)];
  const statuses = () => Promise.all(both.map(async one => (await one('POST', '/v0/config/apply', apply)).status));
  // One at a time; and the database may not have seen yet that the process is gone.
  t.true((await statuses()).every(status => status === 200 || status === 409));
  await until(statuses, [200, 200]);
  t.deepEqual(await stored(), [count, count]);
  const entries = (await api('GET', '/v0/audit?action=config.applied')).body.data;
  t.is(entries.length, 1);
});
