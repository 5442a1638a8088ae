import test from 'ava';
import fc from 'fast-check';
import {
  beginReplay,
  disputedFrom,
  endReplay,
  replayHistory,
  replaySpan,
  replayWindow,
  settle,
  unmovedRows,
} from '#control-plane/monitoring/verdicts/history.ts';
import { eventsOf, mergeFaults, type Past } from '#control-plane/monitoring/verdicts/history-event.ts';
import type { StoredObservation, StoredVersion } from '#control-plane/monitoring/verdicts/store.ts';
import type { VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';
import { lifetimeMs, testRules } from '#test/support/monitor-state.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const from = 100_000;
const warmUpFrom = from - lifetimeMs;
const until = 200_000;
const first: StoredVersion = { rules: testRules, at: 0, dropsVotes: true, resetsStart: true, warning: null };
const nothing: Past = { observations: [], versions: [first], faults: [] };

function seen(region: string, at: number, changes: Partial<StoredObservation> = {}): StoredObservation {
  return {
    region,
    status: 'ok',
    failure_source: null,
    attempt: 1,
    started_at: at - 5,
    completed_at: at,
    received_at: at,
    config_version: 1,
    ...changes,
  };
}

const row = (since: number, verdict: VerdictChange['verdict']): VerdictChange => ({
  since,
  verdict,
  votes: {},
  configVersion: 1,
});
const shown = (rows: readonly VerdictChange[]) => rows.map(({ verdict, since }) => `${verdict}@${since}`);

/** Good results of the regions every ten seconds in [start, end). */
function good(regions: readonly string[], start: number, end: number): StoredObservation[] {
  const slots = Array.from({ length: Math.ceil((end - start) / 10_000) }, (_, index) => start + index * 10_000);
  return slots.flatMap(at => regions.map(region => seen(region, at)));
}

/** Both failed attempts of a region. */
function bad(region: string, at: number): StoredObservation[] {
  return [1, 2].map(attempt =>
    seen(region, at + attempt * 1000, { status: 'err', failure_source: 'target', attempt, started_at: at }),
  );
}

const ordered = (observations: readonly StoredObservation[]) =>
  observations.toSorted((left, right) => left.completed_at - right.completed_at);

test('without a version, or without a row of that time, the stored rows stay', t => {
  const rows = [row(from + 1000, 'up')];
  const observations = good(['a', 'b'], from, until);
  t.deepEqual(replayHistory(rows, { ...nothing, observations }, warmUpFrom, from, until).rows, rows);
  t.deepEqual(replayHistory([row(0, 'up')], { ...nothing, versions: [] }, warmUpFrom, from, until).rows, [
    row(0, 'up'),
  ]);
});

test('late good results fill a gap, from the first one that makes a quorum to the expiry of the last ones', t => {
  const observations = good(['a', 'b', 'c'], from + 5000, from + 35_000);
  const rows = replayHistory([row(0, 'undetermined')], { ...nothing, observations }, warmUpFrom, from, until).rows;
  t.deepEqual(shown(rows), ['undetermined@0', `up@${from + 5000}`, `undetermined@${from + 25_000 + lifetimeMs}`]);
});

test('votes cast before the replay still count at its start', t => {
  const observations = ordered([...good(['a', 'b', 'c'], warmUpFrom + 1000, until), ...bad('a', from + 50_000)]);
  const rows = replayHistory([row(0, 'up')], { ...nothing, observations }, warmUpFrom, from, until).rows;
  t.deepEqual(shown(rows), ['up@0'], 'one region is no quorum, and the other votes are known');
});

test('a row that starts with the replay is computed again: what came late had made it live', t => {
  const down = [warmUpFrom + 1000, from - 10_000].flatMap(at => ['a', 'b', 'c'].flatMap(region => bad(region, at)));
  const observations = ordered([...down, seen('a', from, { started_at: from }), seen('b', from + 3000)]);
  const live = [row(from - 60_000, 'down'), row(from, 'up')];
  const { rows } = replayHistory(live, { ...nothing, observations }, warmUpFrom, from, from + 5000);
  t.deepEqual(shown(rows), [`down@${from - 60_000}`, `up@${from + 3000}`]);
});

test('the votes of a quarantined region do not count, from the start of the fault to its end', t => {
  const observations = ordered([
    ...good(['c'], warmUpFrom + 1000, from + 65_000),
    ...[30_000, 40_000, 50_000, 60_000].flatMap(after => ['a', 'b'].flatMap(region => bad(region, from + after))),
  ]);
  const faults = [{ region: 'a', since: from + 20_000, until: from + 55_000 }];
  const replay = (past: Past) =>
    shown(replayHistory([row(0, 'undetermined')], past, warmUpFrom, from, from + 65_000).rows);
  t.deepEqual(replay({ ...nothing, observations }), ['undetermined@0', `down@${from + 30_000}`]);
  t.deepEqual(replay({ ...nothing, observations, faults }), ['undetermined@0', `down@${from + 55_000}`]);
});

test('a fault that had started before the warm-up is known at its start', t => {
  const progress = beginReplay(
    [],
    {
      ...nothing,
      faults: [
        { region: 'a', since: 5, until: null },
        { region: 'b', since: from, until: null },
      ],
    },
    warmUpFrom,
    from,
  );
  t.deepEqual([...(progress?.quarantined ?? [])], ['a']);
});

test('results count only under their own version, which starts before results of the same instant', t => {
  const second: StoredVersion = {
    rules: { ...testRules, configVersion: 2, quorum: 1, regions: ['a'] },
    at: from + 10_000,
    dropsVotes: true,
    resetsStart: true,
    warning: null,
  };
  const observations = [
    seen('a', from + 10_000, { config_version: 2 }),
    seen('a', from + 11_000, { config_version: 1, status: 'err', failure_source: 'target', attempt: 2 }),
    seen('a', from + 12_000, { config_version: 3, status: 'err', failure_source: 'target', attempt: 2 }),
  ];
  const past = { ...nothing, versions: [first, second], observations };
  const rows = replayHistory([row(0, 'undetermined')], past, warmUpFrom, from, from + 20_000).rows;
  t.deepEqual(shown(rows), ['undetermined@0', `up@${from + 10_000}`]);
});

test('versions and faults outside (start, end] are no events; observations are given for the window', t => {
  const versions = [from, from + 1, from + 10, from + 11].map((at, index) => ({
    ...first,
    at,
    rules: { ...testRules, configVersion: index + 1 },
  }));
  const faults = [{ region: 'a', since: from, until: from + 5 }];
  const observations = [seen('a', from + 3, { received_at: from + 2 })];
  t.deepEqual(
    eventsOf({ versions, faults, observations }, from, from + 10).map(event => event.at - from),
    [1, 2, 5, 10],
  );
});

test('a result that ended before its version by the clock of its agent counts from then on', t => {
  const second: StoredVersion = { ...first, rules: { ...testRules, configVersion: 2, quorum: 1 }, at: from + 10_000 };
  const early = seen('a', from + 9700, { config_version: 2 });
  const others = ['b', 'c'].map(region => seen(region, from + 10_400, { config_version: 2 }));
  const past = { ...nothing, versions: [first, second], observations: [early, ...others] };
  const rows = replayHistory([row(0, 'up')], past, warmUpFrom, from, from + 11_000).rows;
  t.deepEqual(shown(rows), ['up@0', `pending@${from + 10_000}`, `up@${from + 10_400}`]);
});

test('a replay in windows gives the same rows as in one', t => {
  const observation = fc
    .record({
      region: fc.constantFrom('a', 'b', 'c'),
      at: fc.integer({ min: warmUpFrom + 1, max: until }),
      attempt: fc.constantFrom(1, 2),
      outcome: fc.constantFrom(
        { status: 'ok' as const },
        { status: 'err' as const, failure_source: 'target' as const },
      ),
    })
    .map(({ region, at, attempt, outcome }) => seen(region, at, { attempt, ...outcome }));
  fc.assert(
    fc.property(
      fc.array(observation, { maxLength: 60 }),
      fc.array(fc.integer({ min: warmUpFrom + 1, max: until - 1 }), { maxLength: 6 }),
      (unordered, cuts) => {
        const observations = ordered(unordered);
        const before = [row(0, 'undetermined')];
        const bounds = [warmUpFrom, ...cuts.toSorted((left, right) => left - right), until];
        let progress = beginReplay(before, nothing, warmUpFrom, from);
        for (const [index, end] of bounds.slice(1).entries()) {
          const start = bounds[index] ?? warmUpFrom;
          const window = observations.filter(({ completed_at: at }) => at > start && at <= end);
          if (progress !== null) progress = replayWindow(progress, { ...nothing, observations: window }, start, end);
        }
        const whole = replayHistory(before, { ...nothing, observations }, warmUpFrom, from, until).rows;
        t.deepEqual(progress === null ? [] : endReplay(progress, until).rows, whole);
      },
    ),
  );
});

for (const [title, rows, expected] of [
  ['that ends with the current verdict stays', [row(1, 'up'), row(5, 'down')], ['up@1', 'down@5']],
  ['that ends otherwise continues with it from its start', [row(1, 'up')], ['up@1', 'down@10']],
  ['that ends later continues with it after its end', [row(1, 'down'), row(20, 'up')], ['down@1', 'up@20', 'down@21']],
  ['without rows is the current verdict', [], ['down@10']],
] as const) {
  test(`a history ${title}`, t => {
    t.deepEqual(shown(settle(rows, { verdict: 'down', since: 10, rules: testRules })), [...expected]);
  });
}

test('what is known of the live verdict stays with the row that follows a replay', t => {
  const decision = { at: 12, cause: 'vote' as const, quorum: 1, ballots: {} };
  const live = { ...row(10, 'down'), votes: { a: 'down' as const }, decision };
  const settled = settle([row(1, 'up')], { verdict: 'down', since: 10, rules: testRules }, live);
  t.deepEqual(settled.at(-1), live);
});

for (const [title, rows, replayFrom, expected] of [
  ['agrees: it is done', [row(1, 'up'), row(5, 'down')], 3, null],
  ['disputes its last row: from before that row', [row(1, 'down'), row(5, 'up')], 7, 4],
  ['disputes its last row, and results are older: from those', [row(1, 'down'), row(5, 'up')], 2, 2],
  ['has no rows: it is done', [], 2, null],
] as const)
  test(`a replay that live judging ${title}`, t => {
    t.is(disputedFrom(rows, { verdict: 'down', replayFrom }), expected);
  });

test('an outage that begins where the one before ended is the same one, also if the replay begins between', t => {
  const observations = ordered([
    ...good(['c'], warmUpFrom + 1000, from),
    ...bad('a', from - 20_000),
    ...bad('a', from - 10_000),
    ...bad('b', from - 15_000),
  ]);
  const before = [row(from - 40_000, 'down'), row(from - 10_000, 'up'), row(from + 90_000, 'down')];
  const { rows } = replayHistory(before, { ...nothing, observations }, warmUpFrom, from - 9500, from);
  t.deepEqual(shown(rows), [`down@${from - 40_000}`]);
});

for (const [title, rows, expected] of [
  ['the one in force stays', [row(1, 'up'), row(30, 'down'), row(60, 'up')], 1],
  ['the one in force moved', [row(1, 'up'), row(35, 'down')], 0],
  ['nothing stays', [row(2, 'up')], 0],
] as const)
  test(`what follows a change of rows hears of the row before it: ${title}`, t => {
    t.is(unmovedRows([row(1, 'up'), row(30, 'down'), row(50, 'up')], rows, 40), expected);
  });

test('120,000 alternating results are replayed in time that grows with their number', async t => {
  const many = Array.from({ length: 120_000 }, (_, index) =>
    seen('a', from + index * 10, index % 2 === 0 ? {} : { status: 'err', failure_source: 'target', attempt: 2 }),
  );
  const alone: StoredVersion = { ...first, rules: { ...testRules, regions: ['a'], quorum: 1 } };
  const end = from + many.length * 10;
  const usedMs = await leastThreadMs(6000, () => {
    const history = { ...nothing, versions: [alone], observations: many };
    t.true(replayHistory([row(0, 'up')], history, warmUpFrom, from, end).rows.length > 100_000);
  });
  t.true(usedMs < 6000, `${usedMs} ms; 24 s when each row copied the others`);
});

test('a replay begins as early as the longest of any number of versions needs', t => {
  const versions = Array.from({ length: 200_000 }, (_, index) => ({ ...first, at: index }));
  const slow = { ...first, rules: { ...testRules, intervalMs: 10 * testRules.intervalMs } };
  const span = (list: readonly StoredVersion[]) => replaySpan(from, list, 0, until);
  t.deepEqual(span([slow, ...versions]), span([slow]));
  t.true(span([slow]).warmUpFrom < span(versions).warmUpFrom);
});

test('quarantines of a region for all and for the project are one time, as long as either lasts', t => {
  const fault = (region: string, since: number, until: number | null) => ({ region, since, until });
  const merged = mergeFaults([
    fault('a', 0, 10),
    fault('b', 1, 2),
    fault('a', 5, 8),
    fault('a', 10, 20),
    fault('a', 30, null),
    fault('a', 40, 50),
  ]);
  t.deepEqual(merged, [fault('a', 0, 20), fault('a', 30, null), fault('b', 1, 2)]);
});
