import test from 'ava';
import { sendDueDigest } from '#control-plane/on-call/routing/digest.ts';
import { addToDigest, lockGroup } from '#control-plane/on-call/routing/run-store.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { hourMs } from '#shared/duration.ts';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);

test.serial('a digest and a group that is added to it at the same time wait for each other in one order', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const chat = await world.channel('chat');
  const clockOf = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  const now = world.clock.now();
  const quiet_hours = { timezone: 'UTC', from: clockOf(now - hourMs), to: clockOf(now + 9 * hourMs) };
  await world.made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids: [chat] }], quiet_hours });
  const alerts = await world.open([await world.monitor('a'), await world.monitor('b')]);
  world.pass(10_000);
  const digest = () =>
    withSql(databaseOf(), sql => sql.row<{ group_ids: string[] }>`select group_ids from quiet_digests`);
  const [first = ''] = await until(
    async () => (await digest())?.group_ids ?? [],
    ids => ids.length === alerts.length,
  );
  // Its timers would take part.
  await world.replica.stop();
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const sendAt = now + 24 * hourMs;
  const sent = await transaction(pools.background, async sql => {
    await lockGroup(sql, first);
    const sending = sendDueDigest(pools.background, sendAt);
    const blocked = () =>
      withSql(databaseOf(), async other => {
        const row = await other.row<{ count: number }>`
          select count(*) as count
          from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        return row?.count ?? 0;
      });
    await until(blocked, 1);
    await addToDigest(sql, { projectId: world.projectId, channelId: chat, groupId: first, at: sendAt });
    return { sending };
  });
  t.is(await sent.sending, 1);
  const failures = await withSql(databaseOf(), sql => sql.rows`select item from work_failures`);
  t.deepEqual(failures, [], 'neither is put off');
  t.is(await digest(), null);
  const queued = await withSql(databaseOf(), sql => sql.rows`select 1 from deliveries where kind = 'digest'`);
  t.is(queued.length, 1);
});

test.serial('a digest whose groups are gone ends with nothing sent', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const chat = await world.channel('other');
  await world.replica.stop();
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const add = (groupId: string) =>
    transaction(pools.background, sql =>
      addToDigest(sql, { projectId: world.projectId, channelId: chat, groupId, at: 1000 }),
    );
  await add('agp_gone');
  t.is(await sendDueDigest(pools.background, 999), 0, 'not due');
  t.is(await sendDueDigest(pools.background, 1000), 1);
  t.is(await sendDueDigest(pools.background, 1000), 0, 'nothing is left of groups that are gone');
});
