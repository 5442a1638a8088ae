import test from 'ava';
import { cancelOfRecipient } from '#control-plane/delivery/notifications/cancel-store.ts';
import { type DeliveryChannel, type Settlement, settle } from '#control-plane/delivery/notifications/delivery.ts';
import { insertDelivery } from '#control-plane/delivery/notifications/fan-out-store.ts';
import { type ClaimedDelivery, claimDeliveries, leaseMs } from '#control-plane/delivery/notifications/queue-store.ts';
import { putDueOnHold, settleDeliveries } from '#control-plane/delivery/notifications/settle-store.ts';
import {
  findDelivery,
  listDeliveries,
  replayDelivery,
  viewDelivery,
} from '#control-plane/delivery/notifications/store.ts';
import { insertWebhook } from '#control-plane/delivery/notifications/webhooks/store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { insertSubscribers } from '#control-plane/publishing/subscribers/store.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { createPage, testKeyring } from '#test/support/page-rows.ts';

const databaseOf = useDatabase(test);
const now = Date.UTC(2026, 10, 20, 12);

type Queued = { recipient: string; subject: string; thread?: string | null; sequence?: number };

/** A project of its own whose deliveries are claimed by `claim`, on the channel Slack. */
async function withQueue(queued: readonly Queued[], work: (sql: Sql, projectId: string) => Promise<void>) {
  const { projectId } = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    await sql.run`delete from deliveries`;
    await sql.run`delete from delivery_queues`;
    for (const { recipient, subject, thread = null, sequence = 0 } of queued) {
      const delivery = { kind: 'alert', channel: 'slack', projectId, subject, recipient, thread, sequence } as const;
      await insertDelivery(sql, { ...delivery, payload: {} }, now, now);
    }
    await work(sql, projectId);
  });
}

const claimed = (sql: Sql, atMs = now, channel: DeliveryChannel = 'slack') =>
  claimDeliveries(sql, { channel, limit: 10, perProject: 4, capacities: [], leftOut: [] }, atMs);
const claim = async (sql: Sql, atMs = now) =>
  (await claimed(sql, atMs)).map(delivery => `${delivery.recipient} ${delivery.subject}`).sort();
const settleOne = async (sql: Sql, delivery: ClaimedDelivery, settlement: Settlement) =>
  (await settleDeliveries(sql, [{ delivery, settlement, atMs: now }]))[0]?.settled;
const sent = settle({ type: 'sent' }, 1, 0);

test.serial('a claim takes one delivery per recipient, and the next when it is settled', async t => {
  const queued = ['a 1', 'a 2', 'b 1'].map(text => ({ recipient: text.slice(0, 1), subject: text.slice(2) }));
  await withQueue(queued, async sql => {
    const first = await claimed(sql);
    t.deepEqual(first.map(delivery => delivery.recipient).sort(), ['a', 'b']);
    t.deepEqual(await claim(sql), []);
    for (const delivery of first) t.true(await settleOne(sql, delivery, sent));
    t.is((await claim(sql)).length, 1);
  });
});

test.serial('a claim takes deliveries of its channel only, when they are due', async t => {
  const queued = ['a', 'b', 'c'].map(recipient => ({ recipient, subject: 'x' }));
  await withQueue(queued, async sql => {
    t.deepEqual(await claimed(sql, now, 'email'), []);
    t.deepEqual(await claim(sql, now - 1), []);
    t.deepEqual(await claim(sql), ['a x', 'b x', 'c x']);
  });
});

test.serial('a thread is delivered in order: a retry holds back what comes later', async t => {
  const of = (sequence: number, thread: string) => ({
    recipient: 'a',
    subject: `${thread}${sequence}`,
    thread,
    sequence,
  });
  await withQueue([of(2, 'x'), of(1, 'x')], async sql => {
    const [first] = await claimed(sql);
    t.is(first?.subject, 'x1');
    if (first === undefined) return;
    const retry = settle({ type: 'failed', error: 'e', retryAfterMs: null, ours: true }, 1, 0);
    await settleOne(sql, first, retry);
    t.deepEqual(await claim(sql, now + 4999), []);
    t.deepEqual(await claim(sql, now + 5000), ['a x1']);
  });
});

test.serial('a delivery is claimed again when its lease ends, and the old claim no longer counts', async t => {
  await withQueue([{ recipient: 'a', subject: 'x' }], async sql => {
    const [lost] = await claimed(sql);
    t.deepEqual(await claim(sql, now + leaseMs - 1), []);
    const [again] = await claimed(sql, now + leaseMs);
    t.deepEqual([lost?.attempts, again?.attempts], [1, 2]);
    if (lost === undefined || again === undefined) return;
    t.false(await settleOne(sql, lost, sent));
    t.true(await settleOne(sql, again, sent));
    t.false(await settleOne(sql, again, sent), 'it is settled already');
  });
});

test.serial('held and failed deliveries can be replayed with all their attempts, others cannot', async t => {
  await withQueue(
    ['a', 'b', 'c'].map(recipient => ({ recipient, subject: 'x' })),
    async (sql, projectId) => {
      t.is(await putDueOnHold(sql, 'slack', 'not connected', now), 3);
      t.is(await putDueOnHold(sql, 'slack', 'not connected', now), 0);
      const page = { limit: 10, after: null };
      const all = { about: {}, states: ['held'], channels: null };
      const [held, other] = await listDeliveries(sql, projectId, all, page);
      if (held === undefined || other === undefined) return t.fail();
      t.deepEqual([held.error, held.attempts], ['not connected', 0]);
      t.true(await replayDelivery(sql, projectId, held.id, now));
      t.false(await replayDelivery(sql, projectId, held.id, now), 'it is queued already');
      t.false(await replayDelivery(sql, 'proj_other', other.id, now));
      t.like(await findDelivery(sql, projectId, held.id), { state: 'queued', error: null });
      await cancelOfRecipient(sql, held.recipient, 'gone', now);
      await cancelOfRecipient(sql, other.recipient, 'gone', now);
      t.is((await findDelivery(sql, projectId, held.id))?.state, 'cancelled');
      t.is((await findDelivery(sql, projectId, other.id))?.state, 'held', 'only what is queued is cancelled');
    },
  );
});

test.serial('addresses are shown only to callers with the right for their kind', async t => {
  const page = await createPage(databaseOf());
  const { projectId } = page;
  await withSql(databaseOf(), async sql => {
    const subscriber = { ...page, channel: 'email', address: 'ada@example.com', hash: Buffer.from('hash') } as const;
    const agreed = { componentIds: [], state: 'active', consent: 'x', secret: null } as const;
    const [subscriberId = ''] = await insertSubscribers(sql, testKeyring, [{ ...subscriber, ...agreed }], now);
    const hook = {
      url: 'https://example.com/path',
      kinds: ['alert.opened' as const],
      alert_kinds: ['down' as const],
      enabled: true,
    };
    const webhookId = await insertWebhook(sql, testKeyring, projectId, hook, 'whsec_', now);
    const delivery = { projectId, kind: 'alert', thread: null, sequence: 0, payload: {} } as const;
    const rows = [
      ['email', subscriberId],
      ['webhook', webhookId],
      ['slack', '#ops'],
      ['email', 'sub_deleted'],
    ] as const;
    for (const [channel, recipient] of rows)
      await insertDelivery(sql, { ...delivery, channel, subject: 'shown', recipient }, now, now);
    const filter = { about: {}, states: null, channels: null };
    const stored = await listDeliveries(sql, projectId, filter, { limit: 10, after: null });
    const shown = (subscribers: boolean, webhooks: boolean) =>
      rows.map(([, recipient]) => {
        const row = stored.find(candidate => candidate.recipient === recipient);
        return row === undefined
          ? 'missing'
          : viewDelivery(row, testKeyring, { subscribers, webhooks }, new Map()).recipient;
      });
    t.deepEqual(shown(true, true), ['ada@example.com', 'https://example.com/path', '#ops', null]);
    t.deepEqual(shown(true, false), ['ada@example.com', 'https://example.com/***', '#ops', null]);
    t.deepEqual(shown(false, true), ['a***@example.com', 'https://example.com/path', '#ops', null]);
    t.deepEqual(shown(false, false), ['a***@example.com', 'https://example.com/***', '#ops', null]);
  });
});
