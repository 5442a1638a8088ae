import test, { type ExecutionContext } from 'ava';
import { storeEvents } from '#control-plane/analytics/events/store.ts';
import { linkSessions, unlinkSome } from '#control-plane/analytics/linking/link.ts';
import { claimLinks, keepLinks } from '#control-plane/analytics/links/epoch-store.ts';
import { LinkMemory } from '#control-plane/analytics/links/link-memory.ts';
import { insertLinks } from '#control-plane/analytics/links/link-store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { until } from '#test/support/control-plane.ts';
import { toRow } from '#test/support/funnel.ts';
import { openTrendWorld } from '#test/support/trend-world.ts';

const startMs = Date.UTC(2026, 9, 5);

/** A project that has linked sessions for a day, and a process that stores events of one session and its user. */
async function openWorld(t: ExecutionContext) {
  const world = await openTrendWorld(t);
  const { sql, pools, projectId } = world;
  await sql.run`update projects set link_sessions = true, links_switched_at = ${toTimestamp(startMs)}`;
  while (await linkSessions(pools.background, startMs + hourMs));
  await world.store([], startMs + dayMs);
  const memory = new LinkMemory();
  const storeIn = (inside: Sql, atMs: number) => {
    const event = toRow(projectId, { name: 'view', user: 'ann', session: 'tab', atMs, links: true });
    return storeEvents(inside, [event], startMs + dayMs, memory);
  };
  const store = (atMs: number) => transaction(pools.ingest, inside => storeIn(inside, atMs));
  const link = () =>
    sql.row<{
      at: number;
      row: string;
    }>`select at, xmin::text || ' ' || xmax::text || ' ' || ctid::text as row from session_links`;
  const { actor } = toRow(projectId, { name: 'view', user: 'ann', atMs: startMs });
  const user = { projectId, actor: actor ?? 0, externalId: 'ann', arrivedByMs: startMs + 2 * dayMs };
  const unlink = () => transaction(pools.background, inside => unlinkSome(inside, user, startMs));
  return { ...world, storeIn, store, link, unlink };
}

test('a known link is neither stored nor locked again, and moves to an earlier event', async t => {
  const { store, link } = await openWorld(t);
  await store(startMs + 5);
  const first = await link();
  t.is(first?.at, startMs + 5);
  await store(startMs + 6);
  t.deepEqual(await link(), first);
  await store(startMs + 4);
  t.is((await link())?.at, startMs + 4);
  const moved = await link();
  await store(startMs + 5);
  t.deepEqual(await link(), moved);
});

test('what is rolled back is not known', async t => {
  const { pools, storeIn, store, link } = await openWorld(t);
  const lost = transaction(pools.ingest, async inside => {
    await storeIn(inside, startMs + 5);
    throw new Error('lost');
  });
  await t.throwsAsync(lost, { message: 'lost' });
  await store(startMs + 6);
  t.is((await link())?.at, startMs + 6);
});

test('a link that was removed is stored again by the next event', async t => {
  const { sql, store, link, unlink } = await openWorld(t);
  await store(startMs + 5);
  await sql.run`delete from events`;
  t.true(await unlink());
  t.is(await link(), null);
  await store(startMs + 6);
  t.is((await link())?.at, startMs + 6);
});

test('links that were deleted while the setting was off are stored again', async t => {
  const { pools, sql, store, link } = await openWorld(t);
  await store(startMs + 5);
  const turn = async (isOn: boolean, atMs: number) => {
    await sql.run`update projects set link_sessions = ${isOn}, links_switched_at = ${toTimestamp(atMs)}`;
    while (await linkSessions(pools.background, atMs + hourMs));
  };
  await sql.run`delete from events`;
  await turn(false, startMs + 2 * hourMs);
  t.is(await link(), null);
  await turn(true, startMs + 4 * hourMs);
  await store(startMs + 6);
  t.is((await link())?.at, startMs + 6);
});

test('a transaction keeps the links of few projects, and stores those of all', async t => {
  const { pools, sql } = await openWorld(t);
  const event = toRow('', { name: 'view', user: 'ann', session: 'tab', atMs: startMs, links: true });
  const events = Array.from({ length: 40 }, (_, index) => ({ ...event, projectId: `proj_${index}` }));
  await transaction(pools.ingest, async inside => {
    await insertLinks(inside, events, startMs, new LinkMemory());
    const own = await inside.rows`select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`;
    t.is(own.length, 32);
  });
  t.is((await sql.rows`select from session_links`).length, 40);
});

test('whoever removes links waits for events that rely on them', async t => {
  const { pools, sql, storeIn, store, link, unlink } = await openWorld(t);
  await store(startMs + 5);
  await sql.run`delete from events`;
  let removed: Promise<boolean> | undefined;
  await transaction(pools.ingest, async inside => {
    await storeIn(inside, startMs + 6);
    removed = unlink();
    const waiting = async () => {
      const locks = await sql.rows`
        select from pg_locks
        where locktype = 'advisory'
          and not granted
          and database = (select oid from pg_database where datname = current_database())`;
      return locks.length;
    };
    await until(waiting, 1);
  });
  await removed;
  t.is((await link())?.at, startMs + 6, 'of the event that was left');
});

test('events that come while links are removed are not held up, and store theirs', async t => {
  const { pools, sql, store, link } = await openWorld(t);
  await store(startMs + 5);
  await transaction(pools.background, async inside => {
    await claimLinks(inside, (await sql.row<{ id: string }>`select id from projects`)?.id ?? '');
    await store(startMs + 6);
    await store(startMs + 4);
  });
  t.is((await link())?.at, startMs + 4);
});

test('a restored database may count its removals again: the epoch names the start of its server as well', async t => {
  const { sql, pools, projectId } = await openWorld(t);
  const started = await sql.row<{ at: string }>`select extract(epoch from pg_postmaster_start_time())::text as at`;
  const epoch = await transaction(pools.ingest, inside => keepLinks(inside, [projectId]));
  t.is(epoch.get(projectId), `0 ${started?.at}`);
});
