import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Credentials } from '#deploy/local/setup.ts';
import { readState } from '#deploy/local/state-file.ts';
import { startSampleHeartbeat } from '#deploy/local/timed-job.ts';
import { apiOf, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);

test.serial('the sample heartbeat is up at once, goes on, and is created once', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-heartbeat-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(database());
  const api = apiOf(replica.url, token);
  const monitors = async () => (await api('GET', '/v0/monitors')).body.data;
  const start = async (signal: AbortSignal) => {
    const stored = await readState<Credentials>(join(folder, 'credentials.json'));
    const credentials = stored ?? { project_id: projectId, token, agents: {}, first_monitor: true };
    await startSampleHeartbeat(folder, { baseUrl: replica.url }, credentials, { signal, everyMs: 50 });
  };
  const first = new AbortController();
  await start(first.signal);
  const [made] = await monitors();
  t.like(made, { kind: 'heartbeat', status: 'up' });
  const checksPath = `/v0/monitors/${made.id}/checks`;
  const checks = async () => (await api('GET', checksPath)).body.data.length;
  await until(checks, count => count >= 2);
  first.abort();
  await start(AbortSignal.abort());
  t.is((await monitors()).length, 1);
  await api('DELETE', `/v0/monitors/${made.id}`);
  await start(AbortSignal.abort());
  t.deepEqual(await monitors(), [], 'deleted, it is not created again');
});
