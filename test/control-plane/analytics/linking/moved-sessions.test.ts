import test, { type ExecutionContext } from 'ava';
import { storeEvents } from '#control-plane/analytics/events/store.ts';
import { rollUp } from '#control-plane/analytics/flows/roll-up/roll-up.ts';
import { insertFlow } from '#control-plane/analytics/flows/store.ts';
import { linkSessions } from '#control-plane/analytics/linking/link.ts';
import { recountSessions } from '#control-plane/analytics/linking/recount.ts';
import { takeChanges } from '#control-plane/analytics/links/change-store.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { type SentEvent, toRow } from '#test/support/funnel.ts';
import { openTrendWorld } from '#test/support/trend-world.ts';

const startMs = Date.UTC(2026, 9, 5);
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
  const store = (events: readonly SentEvent[], arrivedMs: number) =>
    transaction(pools.ingest, inside =>
      storeEvents(
        inside,
        events.map(event => toRow(projectId, event)),
        arrivedMs,
      ),
    );
  return { ...world, sent, store };
}

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
