import test, { type ExecutionContext } from 'ava';
import { actorOf } from '#control-plane/analytics/events/actor.ts';
import { storeEvents } from '#control-plane/analytics/events/store.ts';
import { rollUp } from '#control-plane/analytics/flows/roll-up/roll-up.ts';
import { insertFlow } from '#control-plane/analytics/flows/store.ts';
import { endLinks, linkSessions, unlinkSome } from '#control-plane/analytics/linking/link.ts';
import { recountSessions } from '#control-plane/analytics/linking/recount.ts';
import { takeChanges } from '#control-plane/analytics/links/change-store.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { until } from '#test/support/control-plane.ts';
import { type SentEvent, toRow } from '#test/support/funnel.ts';
import { openTrendWorld } from '#test/support/trend-world.ts';

const startMs = Date.UTC(2026, 9, 5);
/** A day after the setting was switched, storing events passes over links that it finds. */
const knownMs = startMs + 2 * dayMs;
const keptFromMs = startMs - dayMs;

/** A project that has linked sessions since `startMs`. */
async function openWorld(t: ExecutionContext) {
  const world = await openTrendWorld(t);
  const { sql, pools, projectId } = world;
  await sql.run`update projects set link_sessions = true, links_switched_at = ${toTimestamp(startMs)}`;
  while (await linkSessions(pools.background, startMs + hourMs));
  await world.store([], knownMs);
  const sent = (user: string | null, session: string, atMs: number): SentEvent => {
    return { name: 'view', user, session, atMs, links: true };
  };
  // As events are stored: a lock that is not free within three seconds is an answer of 503.
  const store = (events: readonly SentEvent[], arrivedMs: number) =>
    transaction(pools.ingest, inside =>
      storeEvents(
        inside,
        events.map(event => toRow(projectId, event)),
        arrivedMs,
      ),
    );
  const links = () => sql.rows<{ user: string; at: number }>`
    select external_user_id as user, at from session_links order by session_id, external_user_id`;
  const waiting = async () => {
    const row = await sql.row<{ waiting: number }>`
      select count(*) as waiting
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return row?.waiting ?? 0;
  };
  const untilWaiting = () => until(waiting, 1);
  return { ...world, sent, store, links, untilWaiting };
}

test('events of sessions that are being counted again are stored meanwhile', async t => {
  const { pools, projectId, sent, store, links } = await openWorld(t);
  await store([sent('ann', 'tab', knownMs)], knownMs);
  await transaction(pools.background, async inside => {
    const { sessions } = await takeChanges(inside, projectId, 10);
    t.deepEqual(sessions, [actorOf(null, 'tab')]);
    await store([sent('ann', 'tab', knownMs + 1), sent('bob', 'tab', knownMs + 2)], knownMs + 2);
  });
  t.deepEqual(await links(), [
    { user: 'ann', at: knownMs },
    { user: 'bob', at: knownMs + 2 },
  ]);
});

test('a link that is removed while its session goes on is that of the event which is stored meanwhile', async t => {
  const { pools, projectId, sent, store, links, untilWaiting } = await openWorld(t);
  const ann = { projectId, actor: actorOf('ann', null) ?? 0, externalId: 'ann', arrivedByMs: knownMs };
  await store([sent('ann', 'tab', knownMs)], knownMs);
  await pools.background.query('delete from events');
  let removed: Promise<unknown> = Promise.resolve();
  await transaction(pools.background, async inside => {
    await storeEvents(inside, [toRow(projectId, sent('ann', 'tab', knownMs + 1))], knownMs + 1);
    removed = transaction(pools.background, other => unlinkSome(other, ann, keptFromMs));
    await untilWaiting();
  });
  await removed;
  t.deepEqual(await links(), [{ user: 'ann', at: knownMs + 1 }], 'stored before it was removed');

  let stored: Promise<unknown> = Promise.resolve();
  await pools.background.query('delete from events');
  await transaction(pools.background, async inside => {
    await unlinkSome(inside, { ...ann, arrivedByMs: knownMs + 1 }, keptFromMs);
    stored = store([sent('ann', 'tab', knownMs + 2)], knownMs + 2);
    await untilWaiting();
  });
  await stored;
  t.deepEqual(await links(), [{ user: 'ann', at: knownMs + 2 }], 'stored while it was removed');
});

test('an earlier event of a stored link takes its place', async t => {
  const { pools, sent, store, links } = await openWorld(t);
  await store([sent('ann', 'tab', knownMs)], knownMs);
  await store([sent('ann', 'tab', knownMs - hourMs), sent('ann', 'tab', knownMs + hourMs)], knownMs + hourMs);
  t.deepEqual(await links(), [{ user: 'ann', at: knownMs - hourMs }]);
  await endLinks(pools.background, knownMs + 100 * dayMs);
  t.deepEqual(await links(), []);
});

test('to count moved sessions again, their events are read a few times, without statistics too', async t => {
  const { pools, projectId, sql, sent, store } = await openWorld(t);
  const rule = { steps: [{ event: 'view', where: [] }], windowSeconds: 3600, order: 'ordered' as const };
  await insertFlow(sql, projectId, 'flow', rule, startMs);
  while (await rollUp(pools.background, { nowMs: knownMs }));
  const events = Array.from({ length: 4000 }, (_, n) => {
    const tab = (n >> 1) % 400;
    return sent(n % 2 === 0 ? null : `user ${tab}`, `tab ${tab}`, knownMs + n);
  });
  await store(events, knownMs + hourMs);
  await transaction(pools.background, async inside => {
    const { sessions } = await takeChanges(inside, projectId, 1000);
    t.is(sessions.length, 400);
    await recountSessions(inside, { projectId, sessions }, keptFromMs);
    const row = await inside.row<{ reads: number }>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as reads from pg_stat_xact_user_tables`;
    // Session by session it was 400 times all of them: storing events waited for the links, and answered 503.
    t.true((row?.reads ?? 0) < 100_000, `${row?.reads} rows were read`);
  });
});
