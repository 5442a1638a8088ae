import test from 'ava';
import fc from 'fast-check';
import type { NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import { type FreshResult, judgeMonitor, withSweep } from '#control-plane/monitoring/verdicts/judge.ts';
import {
  failed,
  lifetimeMs,
  makeNewResult,
  makeState,
  makeVersion,
  makeVote,
  testRules,
} from '#test/support/monitor-state.ts';

const nowMs = 1_000_000;
const nothing: ReadonlySet<string> = new Set();
const version = makeVersion();
const fresh = (at: number, changes: Partial<NewResult> = {}): FreshResult => ({
  result: makeNewResult(at, changes),
  version,
});
const upVotes = { a: makeVote(nowMs - 5000), b: makeVote(nowMs - 5000), c: makeVote(nowMs - 5000) };
const up = makeState({ verdict: 'up', since: nowMs - 5000, votes: upVotes });
const downVote = makeVote(nowMs - 5000, { vote: 'down' });

test('without results the state is the same object, so that nothing is written', t => {
  const judgement = judgeMonitor(up, [], nowMs, nothing);
  t.is(judgement.state, up);
  t.deepEqual([judgement.changes, judgement.confirmation, judgement.newlyDown], [[], null, []]);
});

test('a quorum of regions that fail twice turns the monitor down, from the start of the k-th failure', t => {
  const failures = ['a', 'b'].flatMap((region, index) =>
    [1, 2].map(attempt => fresh(nowMs - 4000 + index * 100 + attempt * 1000, { ...failed, region, attempt })),
  );
  const { state, changes, newlyDown } = judgeMonitor(up, failures, nowMs, nothing);
  t.is(state.verdict, 'down');
  t.deepEqual(newlyDown, ['a', 'b']);
  t.is(changes.length, 1);
  t.like(changes[0], {
    since: nowMs - 2905,
    verdict: 'down',
    votes: { a: 'down', b: 'down', c: 'up' },
    configVersion: 1,
    decision: { at: nowMs - 1900, cause: 'vote', quorum: 2 },
  });
  t.is(changes[0]?.decision?.ballots.b?.since, nowMs - 2905);
});

test('the vote of a quarantined region does not count, but is recorded', t => {
  const failures = [1, 2].map(attempt => fresh(nowMs - 3000 + attempt * 1000, { ...failed, attempt }));
  const start = { ...up, votes: { ...up.votes, b: downVote } };
  t.is(judgeMonitor(start, failures, nowMs, nothing).state.verdict, 'down');
  const { state, newlyDown } = judgeMonitor(start, failures, nowMs, new Set(['a']));
  t.is(state.verdict, 'undetermined');
  t.is(state.votes.a?.vote, 'down');
  t.deepEqual(newlyDown, ['a']);
});

const results = fc
  .uniqueArray(fc.integer({ min: nowMs - 2 * lifetimeMs, max: nowMs }), { maxLength: 20 })
  .chain(instants =>
    fc.tuple(
      ...instants.map(at =>
        fc
          .record({
            region: fc.constantFrom('a', 'b', 'c'),
            attempt: fc.constantFrom(1, 2),
            config_version: fc.constantFrom(1, 1, 1, 2),
            outcome: fc.constantFrom({ status: 'ok' as const, failure_source: null }, failed),
          })
          .map(({ outcome, ...changes }) => fresh(at, { ...changes, ...outcome })),
      ),
    ),
  );

test('results are judged in order of completion, whatever their order in the batch', t => {
  fc.assert(
    fc.property(
      results.chain(batch => fc.tuple(fc.constant(batch), fc.shuffledSubarray(batch, { minLength: batch.length }))),
      ([batch, shuffled]) => {
        t.deepEqual(judgeMonitor(up, shuffled, nowMs, nothing), judgeMonitor(up, batch, nowMs, nothing));
      },
    ),
  );
});

test('two attempts that complete at the same instant are judged in order of attempt', t => {
  const attempts = [1, 2].map(attempt => fresh(nowMs - 1000, { ...failed, attempt }));
  for (const batch of [attempts, attempts.toReversed()])
    t.like(judgeMonitor(up, batch, nowMs, nothing).state.votes.a, { vote: 'down', failing_since: null });
});

test('a batch gives the same votes, rows and replay as its results one by one', t => {
  fc.assert(
    fc.property(results, batch => {
      const ordered = batch.toSorted((left, right) => left.result.completed_at - right.result.completed_at);
      const together = judgeMonitor(up, ordered, nowMs, nothing);
      let state = up;
      const changes = [];
      const newlyDown = [];
      for (const result of ordered) {
        const judgement = judgeMonitor(state, [result], nowMs, nothing);
        state = judgement.state;
        changes.push(...judgement.changes);
        newlyDown.push(...judgement.newlyDown);
      }
      const { votes, verdict, since, replayFrom } = together.state;
      t.like(state, { votes, verdict, since, replayFrom });
      t.deepEqual([changes, newlyDown], [[...together.changes], [...together.newlyDown]]);
    }),
  );
});

for (const [title, start, result, expected] of [
  ['another version', up, fresh(nowMs - 1000, { config_version: 2 }), nowMs - 1005],
  ['a paused monitor', { ...up, rules: { ...testRules, enabled: false } }, fresh(nowMs - 1000), nowMs - 1005],
  ['a deleted monitor', { ...up, rules: { ...testRules, deleted: true } }, fresh(nowMs - 1000), nowMs - 1005],
  ['a vote that would have expired', makeState(), fresh(nowMs - lifetimeMs), nowMs - lifetimeMs - 5],
  ['a vote that expires in a millisecond', makeState(), fresh(nowMs - lifetimeMs + 1), null],
  ['a result older than the newest of its region', up, fresh(nowMs - 5001), nowMs - 5006],
  ['a result as old as the newest of its region', up, fresh(nowMs - 5000), null],
  // A replay under way has read what was stored until now, and must notice that there is more.
  ['an earlier replay that waits', { ...up, replayFrom: 7 }, fresh(nowMs - 5001), 6],
  ['a later replay that waits', { ...up, replayFrom: nowMs }, fresh(nowMs - 5001), nowMs - 5006],
  ['a start after its completion', up, fresh(nowMs - 5001, { started_at: nowMs }), nowMs - 5001],
] as const) {
  test(`${title}: history is replayed from ${expected}`, t => {
    const { state, changes } = judgeMonitor(start, [result], nowMs, nothing);
    t.is(state.replayFrom, expected);
    if (expected === null) return;
    t.deepEqual([state.votes, state.verdict, changes], [start.votes, start.verdict, []]);
  });
}

test('of several late results the earliest start counts, and each makes it earlier', t => {
  const late = [6000, 9000, 7000].map(age => fresh(nowMs - age));
  t.is(judgeMonitor(up, late, nowMs, nothing).state.replayFrom, nowMs - 9005 - (late.length - 1));
});

for (const [title, age, changes, isReplayed] of [
  ['a failure after later results of other regions', 7000, { ...failed, attempt: 2 }, true],
  ['a failure within a second of results of other regions', 5900, { ...failed, attempt: 2 }, false],
  ['a success that changes no vote', 7000, {}, false],
  ['a first attempt that changes no vote yet', 7000, failed, false],
] as const)
  test(`${title}: the history is ${isReplayed ? '' : 'not '}recomputed`, t => {
    const start = { ...up, votes: { ...up.votes, a: makeVote(nowMs - 9000) } };
    const { state } = judgeMonitor(start, [fresh(nowMs - age, changes)], nowMs, nothing);
    t.is(state.replayFrom !== null, isReplayed);
  });

test('what a region saw before its vote expired is recomputed also if it changes no vote', t => {
  const expired = makeVote(nowMs - 3000, { vote: 'unknown', expires_at: null, judged_at: nowMs - 20_000 });
  const start = { ...up, votes: { ...up.votes, a: expired } };
  const own = { status: 'err', failure_source: 'probe' } as const;
  t.is(judgeMonitor(start, [fresh(nowMs - 6000, own)], nowMs, nothing).state.replayFrom, nowMs - 6005);
  t.is(judgeMonitor(start, [fresh(nowMs - 2500, own)], nowMs, nothing).state.replayFrom, null);
});

test('what turns a vote is recomputed if the vote of another region ran out later', t => {
  const judge = (expiredAt: number) => {
    const expired = makeVote(nowMs - 20_000, { vote: 'unknown', since: expiredAt, expires_at: null });
    const votes = { a: makeVote(nowMs - 9000), b: makeVote(nowMs - 9000), c: expired };
    const failures = [fresh(nowMs - 7000, { ...failed, attempt: 2 })];
    return judgeMonitor({ ...up, votes }, failures, nowMs, nothing).state.replayFrom;
  };
  t.is(judge(nowMs - 5000), nowMs - 7005);
  t.is(judge(nowMs - 6500), null, 'within a second');
});

const suspected = { ...up, votes: { ...up.votes, a: makeVote(nowMs - 5000, { failing_since: nowMs - 2000 }) } };
const down = { ...up, votes: { ...up.votes, a: downVote } };
const failure = fresh(nowMs - 1000, failed);
const success = fresh(nowMs - 1000);

for (const [title, start, result, isClaimed] of [
  ['a first failure', up, failure, true],
  ['a first failure of a region without a vote', makeState(), failure, true],
  ['a failure after an unconfirmed one', suspected, failure, false],
  ['a second failed attempt', suspected, fresh(nowMs - 1000, { ...failed, attempt: 2 }), false],
  ['a failure of a region that votes down', down, failure, false],
  ['a fault of the probe', up, fresh(nowMs - 1000, { status: 'err', failure_source: 'probe' }), false],
  ['a success of a region that votes up', up, success, false],
  ['the first success of a region that votes down', down, success, true],
  ['a first warning of a region that votes down', down, fresh(nowMs - 1000, { status: 'warn' }), true],
  ['a late failure', up, fresh(nowMs - 5001, failed), false],
  ['a failure under another version', up, fresh(nowMs - 1000, { ...failed, config_version: 2 }), false],
  ['a failure of a single region', { ...up, rules: { ...testRules, regions: ['a'], quorum: 1 } }, failure, false],
  ['a failure 9,999 ms after the last claim', { ...up, confirmedAt: nowMs - 9999 }, failure, false],
  ['a failure 10,000 ms after the last claim', { ...up, confirmedAt: nowMs - 10_000 }, failure, true],
] as const) {
  test(`${title} ${isClaimed ? 'claims a confirmation' : 'claims no confirmation'}`, t => {
    const { confirmation, state } = judgeMonitor(start, [result], nowMs, nothing);
    const { monitorId, projectId } = start;
    const expected = { monitorId, projectId, configVersion: 1, at: nowMs, exceptRegion: 'a' };
    t.deepEqual(confirmation, isClaimed ? expected : null);
    t.is(state.confirmedAt, isClaimed ? nowMs : start.confirmedAt);
  });
}

test('a batch claims one confirmation, for the region whose failure completed first', t => {
  const batch = [fresh(nowMs - 1000, { ...failed, region: 'b' }), fresh(nowMs - 2000, { ...failed, region: 'c' })];
  t.is(judgeMonitor(up, batch, nowMs, nothing).confirmation?.exceptRegion, 'c');
});

test('a region is newly down only when its vote turns, not when it is refreshed', t => {
  const refreshed = judgeMonitor(down, [fresh(nowMs - 1000, { ...failed, attempt: 2 })], nowMs, nothing);
  t.deepEqual(refreshed.newlyDown, []);
  t.is(refreshed.state.votes.a?.as_of, nowMs - 1000);
  const relapse = [fresh(nowMs - 3000), fresh(nowMs - 2000, failed), fresh(nowMs - 1000, { ...failed, attempt: 2 })];
  t.deepEqual(judgeMonitor(down, relapse, nowMs, nothing).newlyDown, ['a']);
});

const due = nowMs - 5000 + lifetimeMs;

for (const [title, state, expected] of [
  ['is set to the next expiry', up, due],
  ['moves earlier', { ...up, sweepAt: due + 1 }, due],
  ['does not move later', { ...up, sweepAt: due - 1 }, due - 1],
  ['stays at the next expiry', { ...up, sweepAt: due }, due],
  ['is not set while nothing can expire', { ...up, votes: {} }, null],
  ['is the end of the wait for a first verdict while pending', makeState({ earliestStart: 100 }), 100 + lifetimeMs],
  ['stays while paused', { ...up, rules: { ...testRules, enabled: false }, sweepAt: 5 }, 5],
] as const) {
  test(`the sweep ${title}`, t => {
    const swept = withSweep(state);
    t.is(swept.sweepAt, expected);
    if (state.sweepAt === expected) t.is(swept, state, 'the same object, so that nothing is written');
  });
}

test('a late fault of a probe is recomputed although its region had no vote: it may have one in the history', t => {
  const expired = makeVote(nowMs - 60_000, { vote: 'unknown', expires_at: null });
  const start = makeState({ ...up, votes: { ...upVotes, a: expired } });
  const fault = { status: 'err', failure_source: 'probe' } as const;
  const judge = (at: number) => judgeMonitor(start, [fresh(at, { ...fault, region: 'a' })], nowMs, nothing).state;
  t.is(judge(nowMs - 7000).replayFrom, nowMs - 7005);
  t.is(judge(nowMs - 5500).replayFrom, null, 'in the order of other regions, within a second');
});

test('what a region saw before quarantines changed is recomputed if it turns something', t => {
  const judge = (at: number, changes: Partial<NewResult>, changedAt: number) =>
    judgeMonitor(up, [fresh(at, changes)], nowMs, nothing, changedAt).state.replayFrom;
  const turning = { ...failed, attempt: 2, region: 'a' };
  t.is(judge(nowMs - 4000, turning, nowMs - 1000), nowMs - 4005);
  t.is(judge(nowMs - 4000, turning, nowMs - 3500), null, 'within a second');
  t.is(judge(nowMs - 4000, turning, nowMs - 9000), null, 'seen after the change');
  t.is(judge(nowMs - 4000, {}, nowMs - 1000), null, 'it turns nothing');
});
