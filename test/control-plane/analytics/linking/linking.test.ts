import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { runErasures } from '#control-plane/analytics/erasures/erase.ts';
import { storedWithinMs } from '#control-plane/analytics/erasures/erasure.ts';
import { withoutErased } from '#control-plane/analytics/erasures/late.ts';
import { requestErasure } from '#control-plane/analytics/erasures/request.ts';
import { actorOf } from '#control-plane/analytics/events/actor.ts';
import { readTimeline } from '#control-plane/analytics/events/timeline.ts';
import { readUser } from '#control-plane/analytics/exports/stream.ts';
import type { FlowRule } from '#control-plane/analytics/flows/flow.ts';
import { readReport } from '#control-plane/analytics/flows/report/report.ts';
import { reportQuerySchema } from '#control-plane/analytics/flows/report/schema.ts';
import { rollUp } from '#control-plane/analytics/flows/roll-up/roll-up.ts';
import { findVersion, insertFlow } from '#control-plane/analytics/flows/store.ts';
import { endLinks, linkSessions } from '#control-plane/analytics/linking/link.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { toTimestamp } from '#shared/clock.ts';
import { newId, timeOfId } from '#shared/ids.ts';
import { countedBy as countReports, type SessionEvent, whoIs } from '#test/support/event-oracle.ts';
import { openTrendWorld, retentionDays } from '#test/support/trend-world.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2026, 9, 5);
const endMs = startMs + 3 * dayMs;
const nowMs = startMs + 9 * dayMs;
/** Arrivals in the other order: none is before its event. */
const mirrorMs = endMs + 16 * hourMs;
const range = { from: toTimestamp(startMs), to: toTimestamp(endMs) };

type Sent = SessionEvent & { arrivedMs: number };

const drawn = fc.record({
  name: fc.constantFrom('view', 'view', 'buy', 'other'),
  user: fc.constantFrom('ann', 'bob', null, null, null),
  session: fc.constantFrom('s1', 's2', 's3', 's4', 's5', 's6', null),
  atMs: fc.integer({ min: startMs / hourMs, max: endMs / hourMs - 1 }).map(hour => hour * hourMs),
  lateMs: fc.constantFrom(0, 0, hourMs, 30 * hourMs),
});

function eventOf(
  { lateMs, ...event }: typeof drawn extends fc.Arbitrary<infer Drawn> ? Drawn : never,
  n: number,
): Sent {
  const props = { plan: n % 3 === 0 ? 'pro' : 'free' };
  return { ...event, id: newId('evt'), props, arrivedMs: event.atMs + lateMs + hourMs };
}

const rules: readonly FlowRule[] = (['ordered', 'strict'] as const).map(order => ({
  steps: ['view', 'buy'].map(event => ({ event, where: [] })),
  windowSeconds: (20 * hourMs) / 1000,
  order,
}));

/** A project with two flows, whose counts are brought up to date by two workers at once. */
async function openWorld(t: ExecutionContext) {
  const world = await openTrendWorld(t);
  await world.sql.run`update projects set event_retention_days = 12`;
  const flows: string[] = [];
  for (const [n, rule] of rules.entries())
    flows.push((await insertFlow(world.sql, world.projectId, `flow ${n}`, rule, startMs)).id);
  const twice = (work: () => Promise<unknown>) => Promise.all([work(), work()]);
  const settle = async (atMs: number): Promise<void> => {
    const pool = world.pools.background;
    for (let round = 0; round < 3; round++) {
      while ((await twice(() => linkSessions(pool, atMs))).includes(true));
      await twice(() => world.count(atMs));
      while ((await twice(() => rollUp(pool, { nowMs: atMs }))).includes(true));
    }
  };
  const link = (isOn: boolean, atMs: number) =>
    world.sql.run`update projects set link_sessions = ${isOn}, links_switched_at = ${toTimestamp(atMs)}`;
  return { ...world, flows, settle, link };
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** Stores each event when it arrives, in commits of six hours, and counts now and then. */
async function deliver(world: World, events: readonly Sent[], links: boolean): Promise<void> {
  const batches = Map.groupBy(events, event => Math.ceil(event.arrivedMs / (6 * hourMs)) * 6 * hourMs);
  for (const arrivedMs of [...batches.keys()].sort((left, right) => left - right)) {
    await world.store(
      (batches.get(arrivedMs) ?? []).map(event => ({ ...event, links })),
      arrivedMs,
    );
    if (arrivedMs % dayMs === 0) await world.settle(arrivedMs);
  }
}

/** What reports must say. */
function countedBy(events: readonly Sent[], isOn: boolean) {
  const who = whoIs(events, isOn);
  const { events: _, ...counts } = countReports(events, isOn, { startMs, dayCount: 3, rules });
  return {
    ...counts,
    timeline: events
      .filter(event => who(event) === 'ann')
      .map(event => [event.id, event.user === null])
      .sort(),
  };
}

/** What they say. Trends are from cells, retention and breakdowns from events, funnels from both. */
async function countedIn(world: World, atMs = nowMs) {
  const days = { ...range, granularity: 'day' };
  const { series } = await world.trends({ event: 'view', ...days }, atMs);
  const broken = await world.trends({ event: 'view', breakdown: 'plan', ...days }, atMs);
  const asked = { start: 'view', return: 'buy', periods: '1', ...days };
  const { cohorts } = await world.retention(asked, atMs);
  const funnels: (number[] | undefined)[][] = [];
  const timeline = await transaction(world.pools.background, sql =>
    readTimeline(sql, world.projectId, 'ann', {}, { limit: 500, after: null }, atMs),
  );
  const exported: string[] = [];
  const user = { projectId: world.projectId, externalId: 'ann', actor: actorOf('ann', null) ?? 0, arrivedMs: 0 };
  for await (const rows of readUser(work => transaction(world.pools.background, work), user))
    exported.push(...rows.map(row => row.id));
  for (const source of ['hourly', 'raw'])
    funnels.push(
      await Promise.all(
        world.flows.map(id =>
          transaction(world.pools.background, async sql => {
            const version = await findVersion(sql, id, 1);
            const query = reportQuerySchema.parse({ ...range, source });
            const report = version === null ? null : await readReport(sql, version, query, retentionDays, atMs);
            return report?.steps.map(step => step.users);
          }),
        ),
      ),
    );
  const ofPlan = (plan: string) => broken.series.find(each => each.group?.value === plan)?.total.users ?? 0;
  const items = timeline.map(({ id, linked = false }) => [id, linked]).sort();
  return {
    trend: [...(series[0]?.data.map(point => point.users) ?? []), series[0]?.total.users],
    breakdown: [ofPlan('pro'), ofPlan('free')],
    retention: cohorts.map(({ returned }) => returned),
    funnels: funnels[0],
    raw: funnels[1],
    timeline: items,
    exported: exported.sort(),
  };
}

async function check(t: ExecutionContext, world: World, events: readonly Sent[], isOn: boolean, title: string) {
  const expected = countedBy(events, isOn);
  const exported = expected.timeline.map(([id]) => id);
  t.deepEqual(await countedIn(world), { ...expected, raw: expected.funnels, exported } as never, title);
}

test('who is who is a function of what is stored, in any order, on two workers, whenever it is switched', async t => {
  const [stream = []] = fc.sample(fc.array(drawn, { minLength: 70, maxLength: 90 }), 1);
  const events = stream.map(eventOf);
  const off = await openWorld(t);
  await deliver(off, events, false);
  await off.settle(nowMs);
  await check(t, off, events, false, 'off');
  t.deepEqual(await off.sql.rows`select session_id from session_links`, []);

  const on = await openWorld(t);
  await on.link(true, startMs - dayMs);
  await deliver(on, events, true);
  await on.settle(nowMs);
  await check(t, on, events, true, 'on from the first');

  const turned = await openWorld(t);
  await turned.link(true, startMs - dayMs);
  await deliver(
    turned,
    events.map(event => ({ ...event, arrivedMs: 2 * mirrorMs - event.arrivedMs })),
    true,
  );
  await turned.settle(nowMs);
  await check(t, turned, events, true, 'the other way round');

  await off.link(true, nowMs - dayMs);
  await off.settle(nowMs);
  await check(t, off, events, true, 'switched on later');
  await off.link(false, nowMs - hourMs);
  await off.settle(nowMs);
  await check(t, off, events, false, 'switched off');
});

test('a sign-up is two people without the setting, one with it; in a shared tab events of nobody move', async t => {
  const at = (hours: number) => startMs + hours * hourMs;
  const event = (name: string, user: string | null, session: string, hours: number): Sent => {
    return { name, user, session, atMs: at(hours), id: newId('evt'), props: { plan: 'pro' }, arrivedMs: at(hours) + 1 };
  };
  const events = [
    event('view', null, 'tab', 1),
    event('buy', 'ann', 'tab', 2),
    event('view', 'bob', 'tab', 3),
    event('view', null, 'tab', 4),
  ];
  const world = await openWorld(t);
  await deliver(world, events, false);
  await world.settle(nowMs);
  const before = await countedIn(world);
  t.like(before, {
    trend: [2, 0, 0, 2],
    funnels: [
      [2, 0],
      [2, 0],
    ],
  });
  await world.link(true, nowMs - hourMs);
  await world.settle(nowMs);
  t.like(await countedIn(world), {
    trend: [2, 0, 0, 2],
    funnels: [
      [2, 1],
      [2, 1],
    ],
  });
  await check(t, world, events, true, 'linked');
  const late = { ...event('other', 'cleo', 'tab', 0), arrivedMs: nowMs };
  await world.store([{ ...late, links: true }], nowMs);
  await world.settle(nowMs + 1);
  await check(t, world, [...events, late], true, 'an earlier user came late: now these are theirs');
  const cleo = { projectId: world.projectId, externalId: 'cleo' };
  const inBrokerAt = (atMs?: number) =>
    ['tab', 'other'].map(session => ({ ...cleo, id: newId('evt', atMs), actor: actorOf(null, session) }));
  const early = inBrokerAt();
  // Ids ascend for all tests at once, of which one may be ahead of the clock.
  const requestedMs = timeOfId(early.at(-1)?.id ?? '') + 1;
  await transaction(world.pools.background, sql => requestErasure(sql, async () => 'hash', cleo, requestedMs));
  const inBroker = [...early, ...inBrokerAt(requestedMs + 1)];
  t.deepEqual(await withoutErased(world.sql, inBroker, item => item), inBroker.slice(1), 'of the session, until then');
  await world.link(false, nowMs + 1);
  await world.settle(nowMs + dayMs / 2);
  t.like(await countedIn(world), { trend: before.trend, funnels: before.funnels, raw: before.raw });
});

test('after an erasure everything is as if neither the user nor their sessions had sent anything', async t => {
  const [stream = []] = fc.sample(fc.array(drawn, { minLength: 70, maxLength: 90 }), 1);
  const events = stream.map(eventOf);
  const [early, late] = [true, false].map(isEarly =>
    events.filter(event => event.arrivedMs <= startMs + 2 * dayMs === isEarly),
  ) as [Sent[], Sent[]];
  const world = await openWorld(t);
  const { pools, projectId } = world;
  await world.link(true, startMs - dayMs);
  await deliver(world, early, true);
  const erasedMs = startMs + 2 * dayMs + 1;
  await world.settle(erasedMs);
  const user = { projectId, externalId: 'ann' };
  await transaction(pools.background, sql => requestErasure(sql, async () => 'hash', user, erasedMs));
  const erase = async (atMs: number) => {
    while (await runErasures(pools.background, { done: async () => undefined }, atMs));
  };
  await erase(erasedMs);
  await deliver(world, late, true);
  await world.settle(nowMs);
  await erase(erasedMs + storedWithinMs);
  const who = whoIs(early, true);
  const left = [...early.filter(event => who(event) !== 'ann'), ...late];
  await check(t, world, left, true, 'erased');
  const other = await openWorld(t);
  await other.link(true, startMs - dayMs);
  await deliver(other, left, true);
  await other.settle(nowMs);
  const cells = ({ sql }: World) => sql.rows`
    select type, name, span, start, arrived_on, events, cell
    from event_cells
    order by type, name, span, start, arrived_on`;
  t.deepEqual(await cells(world), await cells(other));
  const links = ({ sql }: World) => sql.rows`
    select session_id, external_user_id, event_id from session_links order by session_id, external_user_id`;
  t.deepEqual(await links(world), await links(other));
  t.like(await world.sql.row`select state, external_user_id from event_erasures`, {
    state: 'done',
    external_user_id: null,
  });
});

test('a link lives as long as its event; then the next that is kept counts', async t => {
  const world = await openWorld(t);
  await world.link(true, startMs - dayMs);
  const sent = (user: string | null, day: number) => ({
    name: 'view',
    user,
    session: 'long',
    atMs: startMs + day * dayMs,
  });
  for (const [user, day] of [
    ['ann', 0],
    ['bob', 1],
    [null, 2],
  ] as const)
    await world.store([{ ...sent(user, day), links: true }], startMs + day * dayMs);
  const owner = async (atMs: number) => {
    await endLinks(world.pools.background, atMs);
    await world.settle(atMs);
    const range = { from: toTimestamp(startMs + 2 * dayMs), to: toTimestamp(startMs + 3 * dayMs) };
    const asked = { start: 'view', periods: '1', granularity: 'day', ...range };
    t.is((await world.retention(asked, atMs)).cohorts[0]?.users, 1);
    const cell = await world.sql.row<{ cell: Buffer }>`
      select cell from event_cells where span = 'day' and start = ${range.from}`;
    return cell?.cell.readDoubleLE(1);
  };
  t.is(await owner(startMs + 3 * dayMs), actorOf('ann', null) ?? 0);
  t.is(await owner(startMs + 12.5 * dayMs), actorOf('bob', null) ?? 0);
  t.is(await owner(startMs + 13.5 * dayMs), actorOf(null, 'long') ?? 0);
  t.deepEqual(await world.sql.rows`select session_id from session_links`, []);
});
