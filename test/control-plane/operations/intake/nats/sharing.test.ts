import test, { type ExecutionContext } from 'ava';
import { readHolders } from '#control-plane/operations/intake/nats/holder-store.ts';
import { shardOf } from '#control-plane/operations/intake/nats/streams.ts';
import { apiOf, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { goodResult } from '#test/support/fake-agent.ts';
import { type IntakeWorld, openIntakeWorld } from '#test/support/intake-world.ts';
import { startNats, type TestNats } from '#test/support/nats.ts';
import { useWaitsOfProduct } from '#test/support/patient-pools.ts';
import { severable } from '#test/support/severable-database.ts';

// Several workers on one NATS server and one database: who stores what, and that all is stored once.

useWaitsOfProduct(test);

let nats: TestNats;
test.before(async () => {
  nats = await startNats();
});
test.after.always(() => nats?.[Symbol.asyncDispose]());

async function holdersIn(world: IntakeWorld) {
  const { workers, holders } = await withSql(world.databaseUrl, readHolders);
  return { workers, holders: new Map([...holders].filter(([name]) => name !== 'bridge')) };
}

/** How many streams of results and of events each worker holds, the fewest first. */
async function countsIn(world: IntakeWorld): Promise<string[]> {
  const { workers, holders } = await holdersIn(world);
  const countOf = (worker: string, kind: string) =>
    [...holders].filter(([name, holder]) => holder === worker && name.includes(`-${kind}-`)).length;
  return workers.map(worker => `${countOf(worker, 'results')}+${countOf(worker, 'events')}`).sort();
}

/** Projects whose events go through all eight streams, and how often each of their events is stored. */
async function openSenders(world: IntakeWorld) {
  const byStream = new Map<number, Awaited<ReturnType<typeof createTenant>>>();
  while (byStream.size < 8) {
    const tenant = await createTenant(world.databaseUrl);
    byStream.set(Math.floor(shardOf(tenant.projectId) / 32), tenant);
  }
  return {
    send: async (name: string) => {
      const replies = await Promise.all(
        [...byStream.values()].map(({ token }) => apiOf(world.replica.url, token)('POST', '/v0/events', [{ name }])),
      );
      if (replies.some(({ status }) => status !== 202)) throw new Error('events were refused');
    },
    stored: () =>
      withSql(
        world.databaseUrl,
        sql => sql.rows<{ name: string; times: number; projects: number }>`
        select name, count(*)::int as times, count(distinct project_id)::int as projects
        from events
        group by name`,
      ),
  };
}

async function checkStoredOnce(t: ExecutionContext, senders: Awaited<ReturnType<typeof openSenders>>, names: number) {
  const whole = (rows: { projects: number }[]) => rows.length === names && rows.every(({ projects }) => projects === 8);
  const rows = await until(senders.stored, whole);
  t.deepEqual(
    rows.filter(({ times }) => times !== 8),
    [],
  );
}

test.serial('workers that join and stop share the streams evenly; all is stored once', async t => {
  const world = await openIntakeWorld(t, nats.settings);
  const senders = await openSenders(world);
  await using agent = await world.connect('in-a');
  const start = Date.now() - 3_000_000;
  let steps = 0;
  let isOver = false;
  const load = (async () => {
    for (; !isOver && steps < 290; steps++)
      await Promise.all([
        senders.send(`e${steps}`),
        agent.report([goodResult(world.monitorId, start + steps * 10_000)]),
      ]);
  })();
  const shared = (counts: string[]) => until(() => countsIn(world), counts);
  await shared(['8+8']);
  const [first] = (await holdersIn(world)).workers;
  const second = await world.another({ roles: ['worker'] });
  await shared(['4+4', '4+4']);
  const before = await holdersIn(world);
  const third = await world.another({ roles: ['worker'] });
  await until(
    () => countsIn(world),
    counts => counts.length === 3 && counts.every(count => ['2+3', '3+2', '3+3', '2+2'].includes(count)),
  );
  const after = await until(
    () => holdersIn(world),
    ({ holders }) => holders.size === 16,
  );
  const moved = [...after.holders].filter(([name, holder]) => before.holders.get(name) !== holder);
  t.true(
    moved.every(([, holder]) => !before.workers.includes(holder)),
    'only to the one that joined',
  );
  const gone = before.workers.find(worker => worker !== first);
  await second.stop();
  const { holders } = await holdersIn(world);
  t.false([...holders.values()].includes(gone ?? ''), 'it gave up its streams; nobody waits until its leases end');
  await shared(['4+4', '4+4']);
  await third.stop();
  await shared(['8+8']);
  isOver = true;
  await load;
  await checkStoredOnce(t, senders, steps);
  const results = await until(world.storedResults, rows => rows.length === steps);
  t.is(new Set(results).size, steps);
  t.log(`${steps} steps`);
});

test.serial('a worker that was away while its leases expired stores nothing again', async t => {
  const world = await openIntakeWorld(t, nats.settings);
  const senders = await openSenders(world);
  await using way = await severable(world.databaseUrl);
  const [first = ''] = (
    await until(
      () => holdersIn(world),
      ({ workers }) => workers.length === 1,
    )
  ).workers;
  await world.another({ roles: ['worker'], databaseUrl: way.url });
  await until(() => countsIn(world), ['4+4', '4+4']);
  await senders.send('before');
  await until(senders.stored, rows => rows[0]?.times === 8);
  way.cut();
  await senders.send('away');
  const half = await until(senders.stored, rows => rows.some(({ name, times }) => name === 'away' && times >= 4));
  t.is(half.find(({ name }) => name === 'away')?.times, 4, 'its own wait with it');
  await withSql(
    world.databaseUrl,
    sql => sql.run`update leases set expires_at = clock_timestamp() - interval '1 s' where holder <> ${first}`,
  );
  await until(senders.stored, rows => rows.some(({ name, times }) => name === 'away' && times === 8));
  way.mend();
  await until(() => countsIn(world), ['4+4', '4+4']);
  await senders.send('after');
  await checkStoredOnce(t, senders, 3);
});

test.serial('a worker that does not reach NATS leaves its streams to those who do', async t => {
  const world = await openIntakeWorld(t, nats.settings);
  const senders = await openSenders(world);
  const [server = ''] = nats.settings.connection.servers;
  await using way = await severable(`nats://${server}`);
  const prefix = [
    ...(
      await until(
        () => holdersIn(world),
        ({ holders }) => holders.size === 16,
      )
    ).holders.keys(),
  ][0];
  const far = {
    ...nats.settings,
    connection: { servers: [new URL(way.url).host] },
    prefix: prefix?.split('-')[0] ?? '',
  };
  await world.another({ roles: ['worker'], nats: far });
  await until(() => countsIn(world), ['4+4', '4+4']);
  way.cut();
  await senders.send('cut');
  await checkStoredOnce(t, senders, 1);
  t.deepEqual(await countsIn(world), ['8+8']);
  way.mend();
  await until(() => countsIn(world), ['4+4', '4+4']);
});
