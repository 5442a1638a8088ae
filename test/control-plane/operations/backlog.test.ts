import test from 'ava';
import { listLongestWaits } from '#control-plane/delivery/notifications/queue-store.ts';
import { sumDueChecks } from '#control-plane/monitoring/monitors/state/due-store.ts';
import { appendFact, findOldestUndone, finishFacts, postponeFact } from '#control-plane/platform/facts/store.ts';
import { apiOf, createRegions, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);
const now = Date.parse('2026-11-22T12:00:00Z');
const minute = 60_000;

test.serial('a fact waits from the instant of its change until it is done, however often it is postponed', async t => {
  await withSql(database(), async sql => {
    t.is(await findOldestUndone(sql), null);
    for (const minutes of [5, 3])
      await appendFact(
        sql,
        { kind: 'page.changed', projectId: null, subject: 'page', payload: {} } as never,
        now - minutes * minute,
      );
    const [first, second] = (await sql.rows<{ id: number }>`select id from facts order by id`).map(({ id }) => id);
    await postponeFact(sql, first ?? 0, now + minute, 'a test');
    t.is(await findOldestUndone(sql), now - 5 * minute);
    await finishFacts(sql, [first ?? 0], now);
    t.is(await findOldestUndone(sql), now - 3 * minute);
    await finishFacts(sql, [second ?? 0], now);
    t.is(await findOldestUndone(sql), null);
  });
});

test.serial('a recipient waits from when it is due until its delivery is under way, by channel', async t => {
  const { projectId } = await createTenant(database());
  await withSql(database(), async sql => {
    const queue = (channel: string, recipient: string, due: number | null, leased: number | null = null) => sql.run`
      insert into delivery_queues (channel, project_id, recipient, due_at, leased_until)
      values (
        ${channel}, ${projectId}, ${recipient},
        ${due === null ? 'infinity' : new Date(due).toISOString()}::timestamptz,
        ${leased === null ? null : new Date(leased).toISOString()}::timestamptz
      )`;
    await queue('email', 'has nothing', null);
    await queue('email', 'tries again later', now + minute);
    await queue('email', 'is sent to now', now - 9 * minute, now + 1000);
    t.deepEqual(await listLongestWaits(sql, now), []);
    await queue('email', 'waits', now - minute);
    await queue('email', 'waits longer', now - 2 * minute);
    await queue('webhook', 'was left by its sender', now - 3 * minute, now - minute);
    t.deepEqual(
      (await listLongestWaits(sql, now)).sort((one, other) => one.channel.localeCompare(other.channel)),
      [
        { channel: 'email', due_at: now - 2 * minute },
        { channel: 'webhook', due_at: now - 3 * minute },
      ],
    );
  });
});

test.serial('checks are due by interval and region of each enabled monitor', async t => {
  await createRegions(database(), ['due-a', 'due-b']);
  const { token } = await createTenant(database());
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const post = (changes: Record<string, unknown>) =>
    apiOf(replica.url, token)('POST', '/v0/monitors', {
      name: 'due',
      url: 'http://127.0.0.1:9/',
      interval_seconds: 10,
      regions: ['due-a', 'due-b'],
      ...changes,
    });
  t.is(await withSql(database(), sumDueChecks), 0);
  t.is((await post({})).status, 201);
  t.is((await post({ interval_seconds: 60, regions: ['due-a'] })).status, 201);
  t.is((await post({ enabled: false })).status, 201);
  t.is(Math.round((await withSql(database(), sumDueChecks)) * 1000), 217);
  t.is((await post({ url: 'tcp://127.0.0.1:9', interval_seconds: 20 })).status, 201);
  t.is(Math.round((await withSql(database(), sumDueChecks)) * 1000), 317);
});
