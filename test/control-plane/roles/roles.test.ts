import test from 'ava';
import got from 'got';
import { apiOf, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { answer } from '#test/support/target.ts';
import { openWorld } from '#test/support/world.ts';

const database = useDatabase(test);

test('while no front and no worker lives, checks and verdicts go on and the alert opens', async t => {
  const gateway = await startReplica(database(), { roles: ['gateway'] });
  t.teardown(() => gateway.stop());
  const world = await openWorld(t, database(), ['eu', 'us', 'ap'], {
    replicaOf: () => gateway,
    config: { roles: ['front', 'worker'] },
  });
  const id = await world.monitor();
  await world.replica.stop();
  world.target.behaviour = answer(503);
  await until(
    () => withSql(database(), sql => sql.row<{ state: string }>`select state from alerts where monitor_id = ${id}`),
    alert => alert?.state === 'open',
  );
  const front = await startReplica(database(), { roles: ['front'] });
  t.teardown(() => front.stop());
  const { body } = await apiOf(front.url, world.token)('GET', `/v0/monitors/${id}`);
  t.is(body.status, 'down');
});

test('each process says which roles it has, and serves only what they need', async t => {
  const gateway = await startReplica(database(), { roles: ['gateway'] });
  t.teardown(() => gateway.stop());
  const worker = await startReplica(database(), { roles: ['worker'] });
  t.teardown(() => worker.stop());
  const front = await startReplica(database(), { roles: ['front'] });
  t.teardown(() => front.stop());
  const statusOf = async (url: string) => (await got(url, { throwHttpErrors: false, retry: { limit: 0 } })).statusCode;
  for (const [role, replica] of Object.entries({ gateway, worker, front })) {
    const ready = await got(`${replica.url}/readyz`).json<{ ready: boolean; roles: string[] }>();
    t.like(ready, { ready: true, roles: [role] });
    t.true((await got(`${replica.url}/metrics`).text()).includes(`upquorum_role_info{role="${role}"} 1`));
    t.is(await statusOf(`${replica.url}/healthz`), 200);
    t.is(await statusOf(`${replica.url}/v0/project`), role === 'front' ? 401 : 404);
    t.is(await statusOf(`${replica.url}/`), role === 'front' ? 200 : 404);
  }
});
