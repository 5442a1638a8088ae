import test from 'ava';
import fc from 'fast-check';
import { type Rules, voteLifetimeMs, warmUpMs } from '#control-plane/monitoring/monitors/state/state.ts';
import { replayHistory } from '#control-plane/monitoring/verdicts/history.ts';
import type { StoredObservation } from '#control-plane/monitoring/verdicts/store.ts';
import {
  addChange,
  advance,
  nextExpiry,
  observe,
  reconfigure,
  type Standing,
  type VerdictChange,
} from '#control-plane/monitoring/verdicts/timeline.ts';
import { isFirstFailure, isLate, nextVote, type Observation } from '#control-plane/monitoring/verdicts/vote.ts';

const intervalMs = 10_000;
const lifetime = voteLifetimeMs(intervalMs, 1000);
const rules: Rules = {
  configVersion: 1,
  regions: ['a', 'b', 'c'],
  quorum: 2,
  intervalMs,
  timeoutMs: 1000,
  enabled: true,
  deleted: false,
};
const start: Standing = { rules, verdict: 'pending', since: 0, earliestStart: 0, votes: {} };

function observation(region: string, at: number, outcome: 'ok' | 'warn' | 'err' | 'probe', attempt = 1): Observation {
  const status = outcome === 'probe' ? 'err' : outcome;
  const failureSource = outcome === 'probe' ? 'probe' : outcome === 'err' ? 'target' : null;
  return { region, status, failureSource, attempt, startedAt: at - 5, asOf: at, expiresAt: at + lifetime };
}

function toStored(observation: Observation): StoredObservation {
  return {
    region: observation.region,
    status: observation.status,
    failure_source: observation.failureSource === 'blocked_address' ? 'probe' : observation.failureSource,
    attempt: observation.attempt,
    started_at: observation.startedAt,
    completed_at: observation.asOf,
    received_at: observation.asOf,
    config_version: 1,
  };
}

function run(observations: readonly Observation[], from = start): { standing: Standing; rows: VerdictChange[] } {
  let standing = from;
  let rows: VerdictChange[] = [{ since: from.since, verdict: from.verdict, votes: {}, configVersion: 1 }];
  for (const observation of observations) {
    const judged = observe(standing, observation);
    standing = judged.standing;
    for (const change of judged.changes) rows = addChange(rows, change);
  }
  return { standing, rows };
}

const verdicts = (rows: readonly VerdictChange[]) => rows.map(row => `${row.verdict}@${row.since}`);

test('a monitor is pending until a quorum of good votes, then up from the result that made it', t => {
  t.deepEqual(
    verdicts(run([observation('a', 100, 'ok'), observation('b', 200, 'ok'), observation('c', 300, 'ok')]).rows),
    ['pending@0', 'up@200'],
  );
});

test('a region turns down only when the second attempt fails too, from the start of the first', t => {
  const good = [observation('a', 100, 'ok'), observation('b', 100, 'ok'), observation('c', 100, 'ok')];
  const once = run([...good, observation('a', 5000, 'err'), observation('b', 5000, 'err')]);
  t.is(once.standing.verdict, 'up');
  const twice = run([
    ...good,
    observation('a', 5000, 'err'),
    observation('b', 5500, 'err'),
    observation('a', 6000, 'err', 2),
    observation('b', 6500, 'err', 2),
  ]);
  t.deepEqual(verdicts(twice.rows), ['pending@0', 'up@100', 'down@5495']);
});

test('a success between two failures clears the suspicion', t => {
  const { standing } = run([
    observation('a', 100, 'err'),
    observation('a', 1100, 'ok'),
    observation('a', 10_000, 'err'),
  ]);
  t.is(standing.votes.a?.vote, 'up');
  t.is(standing.votes.a?.failing_since, 9995);
});

test('a vote that is down is refreshed by one failed attempt and turned by one success', t => {
  const down = run([
    observation('a', 100, 'err'),
    observation('a', 1100, 'err', 2),
    observation('a', 10_000, 'err'),
  ]).standing;
  t.like(down.votes.a, { vote: 'down', since: 95, as_of: 10_000, expires_at: 10_000 + lifetime });
  t.is(observe(down, observation('a', 20_000, 'ok')).standing.votes.a?.vote, 'up');
});

test('a fault of the probe makes its vote unknown', t => {
  const { standing } = run([observation('a', 100, 'ok'), observation('a', 10_000, 'probe')]);
  t.is(standing.votes.a?.vote, 'unknown');
  t.is(isFirstFailure(standing.votes.a, observation('a', 20_000, 'probe')), false);
});

test('when regions go silent the verdict is undetermined from the moment the vote expired', t => {
  const up = run([observation('a', 100, 'ok'), observation('b', 200, 'ok'), observation('c', 300, 'ok')]).standing;
  const judged = advance(up, 1_000_000);
  t.deepEqual(verdicts(judged.changes), [`undetermined@${200 + lifetime}`]);
});

test('a monitor that is never checked becomes undetermined, not up', t => {
  t.deepEqual(verdicts(advance(start, 10_000_000).changes), [`undetermined@${lifetime}`]);
});

test('a change of the target drops all votes, a change of quorum judges the remaining ones from its own instant', t => {
  const { standing } = run([
    observation('a', 100, 'err'),
    observation('b', 100, 'ok'),
    observation('c', 100, 'ok'),
    observation('a', 1100, 'err', 2),
  ]);
  const stricter = reconfigure(standing, {
    rules: { ...rules, quorum: 1 },
    atMs: 5000,
    dropsVotes: false,
    resetsStart: true,
  });
  t.deepEqual(verdicts(stricter.changes), ['down@5000']);
  const edited = reconfigure(standing, { rules, atMs: 5000, dropsVotes: true, resetsStart: true });
  t.deepEqual([verdicts(edited.changes), edited.standing.votes], [['pending@5000'], {}]);
});

test('paused takes no votes and lets nothing expire', t => {
  const { standing } = run([observation('a', 100, 'ok'), observation('b', 100, 'ok')]);
  const paused = reconfigure(standing, {
    rules: { ...rules, enabled: false },
    atMs: 5000,
    dropsVotes: true,
    resetsStart: true,
  }).standing;
  t.is(nextExpiry(paused), null);
  t.is(observe(paused, observation('a', 6000, 'err', 2)).standing.verdict, 'paused');
});

const outcome = fc.constantFrom('ok', 'ok', 'warn', 'err', 'probe') as fc.Arbitrary<'ok' | 'warn' | 'err' | 'probe'>;
const storyOf = (gapMin: number) =>
  fc
    .array(
      fc.record({
        region: fc.constantFrom('a', 'b', 'c'),
        gap: fc.integer({ min: gapMin, max: 20_000 }),
        outcome,
        attempt: fc.integer({ min: 1, max: 2 }),
      }),
      { maxLength: 60 },
    )
    .map(steps => {
      let at = 100;
      return steps.map(step => {
        at += step.gap;
        return observation(step.region, at, step.outcome, step.attempt);
      });
    });

const story = storyOf(1);

test('rows start in order, never say the same twice in a row, and never start before the earliest start', t => {
  fc.assert(
    fc.property(story, observations => {
      const { rows } = run(observations);
      return rows.every((row, index) => {
        const before = rows[index - 1];
        return row.since >= 0 && (before === undefined || (before.since < row.since && before.verdict !== row.verdict));
      });
    }),
  );
  t.pass();
});

test('sweeping at any moments gives the same history as not sweeping', t => {
  fc.assert(
    fc.property(story, fc.array(fc.integer({ min: 0, max: 900_000 })), (observations, sweeps) => {
      let standing = start;
      let rows: VerdictChange[] = [{ since: 0, verdict: 'pending', votes: {}, configVersion: 1 }];
      const events = [
        ...observations.map(observation => ({ at: observation.asOf, observation })),
        ...sweeps.map(at => ({ at, observation: null })),
      ].sort((left, right) => left.at - right.at);
      const end = observations.at(-1)?.asOf ?? 0;
      for (const event of events.filter(candidate => candidate.at <= end)) {
        const judged = event.observation === null ? advance(standing, event.at) : observe(standing, event.observation);
        standing = judged.standing;
        for (const change of judged.changes) rows = addChange(rows, change);
      }
      return JSON.stringify(verdicts(rows)) === JSON.stringify(verdicts(run(observations).rows));
    }),
  );
  t.pass();
});

/** What agents report: a failed attempt is repeated a second later, and one check of a region ends before the next. */
const reported = storyOf(1500).map(observations =>
  observations
    .flatMap(first => {
      if (first.status !== 'err') return [{ ...first, attempt: 1 }];
      const second = observation(first.region, first.asOf + 1000, first.failureSource === 'probe' ? 'probe' : 'err', 2);
      return [{ ...first, attempt: 1 }, second];
    })
    .sort((left, right) => left.asOf - right.asOf),
);

test('the history computed again from any moment is the one that live judging wrote', t => {
  fc.assert(
    fc.property(reported, fc.nat(), (observations, pick) => {
      fc.pre(observations.length > 0);
      const { rows } = run(observations);
      const from = observations[pick % observations.length]?.startedAt ?? 0;
      const stored = observations.map(toStored);
      const warmUp = from - warmUpMs(intervalMs, 1000);
      const inForce = rows.findLast(row => row.since <= from);
      const before = rows.filter(row => row.since >= (inForce?.since ?? 0));
      const past = {
        observations: stored.filter(result => result.completed_at > warmUp),
        versions: [{ rules, at: 0, dropsVotes: true, resetsStart: true, warning: null }],
        faults: [],
      };
      const again = replayHistory(before, past, warmUp, from, observations.at(-1)?.asOf ?? 0).rows;
      t.deepEqual(verdicts(again), verdicts(before));
    }),
    { numRuns: 1000 },
  );
});

test('a result is late when its own vote would have expired or a newer one was judged', t => {
  const current = nextVote(undefined, observation('a', 10_000, 'ok'));
  t.true(isLate(current, observation('a', 9000, 'ok'), 11_000));
  t.false(isLate(current, observation('a', 20_000, 'ok'), 21_000));
  t.true(isLate(current, observation('a', 20_000, 'ok'), 20_000 + lifetime));
});
