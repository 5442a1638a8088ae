import test from 'ava';
import { cancelOfRecipient } from '#control-plane/delivery/notifications/cancel-store.ts';
import { settle } from '#control-plane/delivery/notifications/delivery.ts';
import { insertDelivery } from '#control-plane/delivery/notifications/fan-out-store.ts';
import {
  type ClaimedDelivery,
  type ClaimRequest,
  claimDeliveries,
  leaseMs,
} from '#control-plane/delivery/notifications/queue-store.ts';
import {
  deleteOrphanedQueues,
  releaseQueue,
  restoreQueues,
  settleDeliveries,
} from '#control-plane/delivery/notifications/settle-store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { createPage } from '#test/support/page-rows.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
const now = Date.UTC(2026, 10, 20, 12);
const request: ClaimRequest = { channel: 'webhook', limit: 32, perProject: 4, capacities: [], leftOut: [] };
const sent = settle({ type: 'sent' }, 1, 0);

const clear = (sql: Sql) => Promise.all([sql.run`delete from deliveries`, sql.run`delete from delivery_queues`]);

/** Queues deliveries of the channel for webhooks, `threads` each with `length` of them. */
async function queueMany(sql: Sql, queued: { projectId: string; recipients: number; threads: number; length: number }) {
  const { projectId, recipients, threads, length } = queued;
  await sql.run`
    insert into deliveries (
      id, project_id, kind, channel, subject, recipient, thread, sequence, payload, state, due_at, created_at
    )
    select
      'dlv_' || ${projectId} || r || '_' || t || '_' || n, ${projectId}, 'webhook', 'webhook',
      ${projectId} || 's' || t || '_' || n, ${projectId} || 'r' || r, 't' || t, n, '{}', 'queued',
      ${new Date(now).toISOString()}, ${new Date(now).toISOString()}
    from generate_series(1, ${recipients}) as r, generate_series(1, ${threads}) as t, generate_series(1, ${length}) as n
    on conflict do nothing`;
  await restoreQueues(sql);
}

/** Rows of deliveries read by `work`, which runs in a transaction of its own. */
async function rowsRead(work: (sql: Sql) => Promise<unknown>): Promise<number> {
  const pools = patientPools(databaseOf());
  try {
    return await transaction(pools.background, async sql => {
      await work(sql);
      const row = await sql.row<{ count: number }>`
        select seq_tup_read + idx_tup_fetch as count
        from pg_stat_xact_user_tables
        where relname = 'deliveries'`;
      return row?.count ?? 0;
    });
  } finally {
    await pools.end();
  }
}

const projectsOf = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push((await createPage(databaseOf())).projectId);
  return ids;
};
const counted = (deliveries: readonly { project_id: string }[], projectId: string) =>
  deliveries.filter(delivery => delivery.project_id === projectId).length;
const ended = (delivery: ClaimedDelivery, settlement = sent) => ({ delivery, settlement, atMs: now });

test.serial('a claim takes at most a share of each project and never more than its limit, in turns', async t => {
  const [large = '', small = '', tiny = ''] = await projectsOf(3);
  await withSql(databaseOf(), async sql => {
    await clear(sql);
    await queueMany(sql, { projectId: large, recipients: 100, threads: 1, length: 1 });
    await queueMany(sql, { projectId: small, recipients: 3, threads: 1, length: 1 });
    await queueMany(sql, { projectId: tiny, recipients: 1, threads: 1, length: 1 });
    const first = await claimDeliveries(sql, { ...request, limit: 3 }, now);
    t.deepEqual(
      [large, small, tiny].map(id => counted(first, id)),
      [1, 1, 1],
    );
    const capacities = [{ project_id: large, capacity: 3 }];
    const second = await claimDeliveries(sql, { ...request, capacities }, now);
    t.deepEqual(
      [large, small, tiny].map(id => counted(second, id)),
      [3, 2, 0],
    );
    const none = await claimDeliveries(sql, { ...request, capacities: [{ project_id: large, capacity: 0 }] }, now);
    t.deepEqual(none, []);
  });
});

for (const [what, threads, length] of [
  ['one thread', 1, 20_000],
  ['a thousand threads', 1000, 20],
] as const)
  test.serial(`a claim reads no more when 20,000 deliveries in ${what} wait for a receiver that hangs`, async t => {
    const [hostile = '', other = ''] = await projectsOf(2);
    await withSql(databaseOf(), async sql => {
      await clear(sql);
      await queueMany(sql, { projectId: hostile, recipients: 1, threads, length });
      await sql.run`analyze deliveries, delivery_queues`;
      const hanging = await claimDeliveries(sql, request, now);
      t.is(hanging.length, 1);
      await queueMany(sql, { projectId: other, recipients: 3, threads: 1, length: 1 });
      t.is(await rowsRead(tx => claimDeliveries(tx, request, now)), 6);
      // The attempt failed: to see that what is behind it has to wait reads one delivery of each thread.
      const retry = settle({ type: 'failed', error: 'e', retryAfterMs: null, ours: false }, 1, 0);
      for (const delivery of hanging) await settleDeliveries(sql, [ended(delivery, retry)]);
      t.true((await rowsRead(tx => claimDeliveries(tx, request, now + 1))) <= 2 * threads + 10);
    });
  });

test.serial('a queue found empty stays due when a delivery was inserted meanwhile', async t => {
  const [projectId = ''] = await projectsOf(1);
  const insert = (sql: Sql, subject: string) => {
    const delivery = {
      projectId,
      kind: 'alert',
      channel: 'webhook',
      recipient: 'r',
      thread: null,
      sequence: 0,
    } as const;
    return insertDelivery(sql, { ...delivery, subject, payload: {} }, now, now);
  };
  await withSql(databaseOf(), async sql => {
    await clear(sql);
    await insert(sql, 'first');
    const [first] = await claimDeliveries(sql, request, now);
    if (first === undefined) return t.fail();
    await insert(sql, 'second');
    t.deepEqual(await claimDeliveries(sql, request, now), [], 'the recipient has one under way');
    t.deepEqual(await settleDeliveries(sql, [ended(first)]), [{ settled: true, released: true, more: true }]);
    const [second] = await claimDeliveries(sql, request, now);
    if (second === undefined) return t.fail();
    t.deepEqual(await settleDeliveries(sql, [ended(second)]), [{ settled: true, released: true, more: false }]);
    await insert(sql, 'third');
    t.is((await claimDeliveries(sql, request, now)).length, 1);
  });
});

test.serial('what settles does not wait for an insertion that holds the queue, and releases it afterwards', async t => {
  const [projectId = ''] = await projectsOf(1);
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  await withSql(databaseOf(), async sql => {
    await clear(sql);
    await queueMany(sql, { projectId, recipients: 1, threads: 1, length: 2 });
    const [first] = await claimDeliveries(sql, request, now);
    if (first === undefined) return t.fail();
    await transaction(pools.background, async tx => {
      await restoreQueues(tx);
      t.deepEqual(await settleDeliveries(sql, [ended(first)]), [{ settled: true, released: false, more: false }]);
      t.false(await releaseQueue(sql, first));
    });
    t.true(await releaseQueue(sql, first));
    t.is((await claimDeliveries(sql, request, now + 1)).length, 1);
    t.true(await releaseQueue(sql, first), 'an old lease releases nothing');
    t.deepEqual(await claimDeliveries(sql, request, now + 2), []);
  });
});

test.serial('a delivery cancelled while it is sent gives its recipient’s queue back', async t => {
  const [projectId = ''] = await projectsOf(1);
  await withSql(databaseOf(), async sql => {
    await clear(sql);
    await queueMany(sql, { projectId, recipients: 1, threads: 1, length: 2 });
    const [first] = await claimDeliveries(sql, request, now);
    if (first === undefined) return t.fail();
    await cancelOfRecipient(sql, first.recipient, 'gone', now);
    t.deepEqual(await settleDeliveries(sql, [ended(first)]), [{ settled: false, released: true, more: false }]);
    await queueMany(sql, { projectId, recipients: 1, threads: 1, length: 3 });
    t.is((await claimDeliveries(sql, request, now + leaseMs)).length, 1);
    await sql.run`delete from deliveries`;
    await claimDeliveries(sql, request, now + 2 * leaseMs);
    await deleteOrphanedQueues(sql);
    t.is((await sql.rows`select recipient from delivery_queues`).length, 0);
  });
});
