import test, { type ExecutionContext } from 'ava';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { lockQuota } from '#control-plane/platform/project-limits/quota-store.ts';
import { type Api, impatientApiOf, type Reply, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { useWaitsOfProduct } from '#test/support/patient-pools.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
useWaitsOfProduct(test);
type World = Awaited<ReturnType<typeof openStatusWorld>>;

/** Holds a quota's lock, starts a request, and asserts that it waits for that lock before it has locked the row. */
async function assertQuotaFirst(
  t: ExecutionContext,
  { replica, projectId, token }: World,
  resource: 'monitor_regions' | 'open_incidents',
  row: (sql: Parameters<Parameters<typeof transaction>[1]>[0]) => Promise<unknown>,
  request: (api: Api) => Promise<Reply>,
): Promise<void> {
  const pool = replica.pools.background;
  const reply = await transaction(pool, async holder => {
    await lockQuota(holder, projectId, resource);
    const answer = request(impatientApiOf(replica.url, token));
    const waiting = async () => {
      const found = await holder.row`select 1 from pg_locks where locktype = 'advisory' and not granted`;
      return found !== null;
    };
    await until(waiting, true);
    await t.notThrowsAsync(transaction(pool, row), 'the row is free');
    return answer;
  });
  t.is(reply.status, 503, 'it gave up waiting');
}

test.serial('a change of regions takes the lock of its quota before the rows', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const { id } = world.monitor;
  const { regions } = (await world.api('GET', `/v0/monitors/${id}`)).body;
  await assertQuotaFirst(
    t,
    world,
    'monitor_regions',
    sql => sql.run`select 1 from monitor_states where monitor_id = ${id} for update nowait`,
    api => api('PATCH', `/v0/monitors/${id}`, { regions: regions.slice(1) }),
  );
});

test.serial('a promotion takes the lock of its quota before the alert', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const id = await world.alert();
  await assertQuotaFirst(
    t,
    world,
    'open_incidents',
    sql => sql.run`select 1 from alerts where id = ${id} for update nowait`,
    api => api('POST', `/v0/alerts/${id}/promote`, {}),
  );
});
