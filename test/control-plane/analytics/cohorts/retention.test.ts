import test from 'ava';
import fc from 'fast-check';
import { eraseUser } from '#control-plane/analytics/erasures/erase-now.ts';
import { toTimestamp } from '#shared/clock.ts';
import { deliver, labels, sentBetween } from '#test/support/event-streams.ts';
import type { SentEvent } from '#test/support/funnel.ts';
import { openTrendWorld } from '#test/support/trend-world.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Berlin puts its clocks back on the 25th of October, New York on the 1st of November. */
const startMs = Date.UTC(2026, 9, 21, 12);
const toMs = startMs + 9 * dayMs;
const endMs = startMs + 16 * dayMs;
const nowMs = endMs + 3 * dayMs + 4 * hourMs;
/** All events are past their retention then. */
const laterMs = nowMs + 200 * dayMs;

type Question = { start: string; return: string; granularity: string; timezone: string; cohort: string };

/** What retention must say, by brute force over the events: each cohort's period, users and returns. */
function countedBy(events: readonly SentEvent[], { start, ...asked }: Question, periods: number, untilMs: number) {
  const labelOf = labels(asked.granularity, asked.timezone);
  const all: string[] = [];
  for (let at = startMs; at <= untilMs; at += hourMs) if (all.at(-1) !== labelOf(at)) all.push(labelOf(at));
  const usersOf = (name: string, label: string | undefined): Set<string> => {
    const own = events.filter(each => each.type === undefined && each.name === name && labelOf(each.atMs) === label);
    return new Set(own.flatMap(each => each.user ?? []));
  };
  const cohorts = all.slice(0, all.indexOf(labelOf(toMs - 1)) + 1);
  return cohorts.map((period, index) => {
    const before = asked.cohort === 'any' ? [] : cohorts.slice(0, index);
    const users = [...usersOf(start, period)].filter(user => !before.some(label => usersOf(start, label).has(user)));
    const returned = Array.from({ length: periods + 1 }, (_, later) =>
      index + later < all.length
        ? users.filter(user => usersOf(asked.return, all[index + later]).has(user)).length
        : null,
    );
    return [period, users.length, returned];
  });
}

const questions: readonly Question[] = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Auckland'].flatMap(
  (timezone, index) =>
    ['day', 'week'].flatMap(granularity =>
      ['first', 'any'].map(cohort => ({
        ...{ timezone, granularity, cohort, start: 'view' },
        return: index % 2 === 0 ? 'buy' : 'view',
      })),
    ),
);

test('retention equals brute force in any order of arrival, and stays when the events are gone', async t => {
  for (const stream of fc.sample(fc.array(sentBetween(startMs, endMs), { minLength: 60, maxLength: 140 }), 2)) {
    const world = await openTrendWorld(t);
    let events = await deliver(world, stream, nowMs);
    const check = async (atMs: number, source: string) => {
      for (const question of questions) {
        const range = { from: toTimestamp(startMs), to: toTimestamp(toMs), periods: '9' };
        const found = await world.retention({ ...question, ...range }, atMs);
        const cohorts = found.cohorts.map(({ period, users, returned }) => [period, users, returned]);
        t.deepEqual(cohorts, countedBy(events, question, 9, atMs), JSON.stringify({ question, source }));
        t.deepEqual([found.source, new Set(found.cohorts.map(({ reason }) => reason))], [source, new Set([null])]);
      }
    };
    await check(nowMs, 'raw');
    await check(laterMs, 'hourly');
    await eraseUser(world.pools.background, async () => 'hash', { projectId: world.projectId, externalId: 'b' }, nowMs);
    events = events.filter(each => each.user !== 'b');
    await check(nowMs, 'raw');
    await world.count(nowMs);
    await world.sql.run`delete from events`;
    await check(laterMs, 'hourly');
  }
});

test('a period is exact or null with its reason', async t => {
  const world = await openTrendWorld(t);
  const day = (index: number) => startMs + index * dayMs;
  const events = (name: string, users: readonly number[], atMs: number) =>
    world.store(
      users.map(user => ({ name, user: `u${user}`, atMs })),
      atMs,
    );
  const many = Array.from({ length: 2100 }, (_, index) => index);
  await events('view', [1, 2, 3], day(0));
  await events('view', many.slice(0, 1500), day(1));
  await events('view', many.slice(1400), day(1) + hourMs);
  await events('view', many, day(2));
  await events('view', [1], day(3));
  await world.count(nowMs);
  const range = { from: toTimestamp(day(0)), to: toTimestamp(day(3) + hourMs), granularity: 'day', periods: '2' };
  const ask = async (query: Record<string, string>, atMs: number) => {
    const { cohorts } = await world.retention({ start: 'view', ...range, ...query }, atMs);
    return cohorts.map(({ users, returned, reason }) => [users, returned, reason]);
  };
  t.deepEqual(await ask({ cohort: 'any' }, nowMs), [
    [3, [3, 3, 3], null],
    [2100, [2100, 2100, 1], null],
    [2100, [2100, 1, 0], null],
    [1, [1, 0, 0], null],
  ]);
  const unknown = [null, [null, null, null], 'too_many_users'];
  t.deepEqual(
    await ask({ cohort: 'any' }, laterMs),
    [[3, [3, 3, null], 'too_many_users'], [2100, [2100, null, 1], 'too_many_users'], unknown, [1, [1, 0, 0], null]],
    'a day of more users than a cell holds is exact by its hours',
  );
  t.deepEqual((await ask({}, laterMs)).slice(2), [unknown, unknown], 'nobody knows whose first period a later one is');
  t.deepEqual(
    new Set((await ask({ timezone: 'Asia/Kolkata' }, laterMs)).map(([, , reason]) => reason)),
    new Set(['zone_between_hours']),
  );
  t.deepEqual(
    (await ask({ timezone: 'Asia/Kolkata' }, nowMs)).map(([users]) => users),
    [3, 2097, 0, 0],
  );
  await world.sql.run`
    insert into event_cells (project_id, type, name, span, start, arrived_on, events, cell)
    select project_id, type, '(other)', span, start, arrived_on, events, cell
    from event_cells
    where span = 'hour'
    limit 1`;
  t.true((await ask({}, laterMs)).some(([, , reason]) => reason === 'too_many_names'));
  await world.sql.run`insert into event_cell_recounts select id, ${toTimestamp(day(1))}, '2027-01-01' from projects`;
  t.deepEqual(new Set((await ask({}, laterMs)).map(([, , reason]) => reason)), new Set(['not_counted']));
});

test('the range is moved outwards to whole periods; what begins after now is null', async t => {
  const world = await openTrendWorld(t);
  await world.store([{ name: 'view', user: 'a', atMs: nowMs }], nowMs);
  const usual = await world.retention({ start: 'view' }, nowMs);
  t.deepEqual(usual.range, { from: '2026-09-21T00:00:00.000Z', to: '2026-11-16T00:00:00.000Z' });
  t.is(usual.cohorts.length, 8);
  t.deepEqual(usual.cohorts.at(-1), {
    ...{ period: '2026-11-09', users: 1, complete: false, reason: null },
    returned: [1, ...Array.from({ length: 8 }, () => null)],
  });
  const days = await world.retention({ start: 'view', granularity: 'day', timezone: 'Europe/Berlin' }, nowMs);
  t.is(days.cohorts.length, 14);
  const ahead = { from: toTimestamp(nowMs), to: toTimestamp(nowMs + 3 * dayMs), granularity: 'day', periods: '1' };
  t.deepEqual(
    (await world.retention({ start: 'view', ...ahead }, nowMs)).cohorts.map(({ users, returned }) => [users, returned]),
    [
      [1, [1, null]],
      [null, [null, null]],
      [null, [null, null]],
      [null, [null, null]],
    ],
  );
  const longest = { from: toTimestamp(nowMs - 60 * dayMs), to: toTimestamp(nowMs), granularity: 'day' };
  t.is((await world.retention({ start: 'view', ...longest }, nowMs)).cohorts.length, 61);
  const longer = { ...longest, from: toTimestamp(nowMs - 61 * dayMs) };
  await t.throwsAsync(world.retention({ start: 'view', ...longer }, nowMs), { message: /60 days/ });
});
