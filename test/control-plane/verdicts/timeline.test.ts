import test from 'ava';
import fc from 'fast-check';
import { type Rules, voteLifetimeMs } from '#control-plane/monitors/state.ts';
import { replayHistory } from '#control-plane/verdicts/replay.ts';
import {
  addChange,
  advance,
  count,
  nextExpiry,
  reconfigure,
  type Standing,
  type VerdictChange,
} from '#control-plane/verdicts/timeline.ts';
import { type Ballot, castVote, isFirstFailure, isLate } from '#control-plane/verdicts/vote.ts';

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
const start: Standing = { rules, verdict: 'pending', since: 0, floor: 0, votes: {} };

function ballot(region: string, at: number, outcome: 'ok' | 'warn' | 'err' | 'probe', attempt = 1): Ballot {
  const status = outcome === 'probe' ? 'err' : outcome;
  const failureSource = outcome === 'probe' ? 'probe' : outcome === 'err' ? 'target' : null;
  return { region, status, failureSource, attempt, startedAt: at - 5, asOf: at, expiresAt: at + lifetime };
}

function run(ballots: readonly Ballot[], from = start): { standing: Standing; rows: VerdictChange[] } {
  let standing = from;
  let rows: VerdictChange[] = [{ since: from.since, verdict: from.verdict, votes: {}, configVersion: 1 }];
  for (const one of ballots) {
    const judged = count(standing, one);
    standing = judged.standing;
    for (const change of judged.changes) rows = addChange(rows, change);
  }
  return { standing, rows };
}

const verdicts = (rows: readonly VerdictChange[]) => rows.map(row => `${row.verdict}@${row.since}`);

test('a monitor is pending until a quorum of good votes, then up from the result that made it', t => {
  t.deepEqual(verdicts(run([ballot('a', 100, 'ok'), ballot('b', 200, 'ok'), ballot('c', 300, 'ok')]).rows), [
    'pending@0',
    'up@200',
  ]);
});

test('a region turns down only when the second attempt fails too, from the start of the first', t => {
  const good = [ballot('a', 100, 'ok'), ballot('b', 100, 'ok'), ballot('c', 100, 'ok')];
  const once = run([...good, ballot('a', 5000, 'err'), ballot('b', 5000, 'err')]);
  t.is(once.standing.verdict, 'up');
  const twice = run([
    ...good,
    ballot('a', 5000, 'err'),
    ballot('b', 5500, 'err'),
    ballot('a', 6000, 'err', 2),
    ballot('b', 6500, 'err', 2),
  ]);
  t.deepEqual(verdicts(twice.rows), ['pending@0', 'up@100', 'down@5495']);
});

test('a success between two failures clears the suspicion', t => {
  const { standing } = run([ballot('a', 100, 'err'), ballot('a', 1100, 'ok'), ballot('a', 10_000, 'err')]);
  t.is(standing.votes.a?.vote, 'up');
  t.is(standing.votes.a?.failing_since, 9995);
});

test('a vote that is down is refreshed by one failed attempt and turned by one success', t => {
  const down = run([ballot('a', 100, 'err'), ballot('a', 1100, 'err', 2), ballot('a', 10_000, 'err')]).standing;
  t.like(down.votes.a, { vote: 'down', since: 95, as_of: 10_000, expires_at: 10_000 + lifetime });
  t.is(count(down, ballot('a', 20_000, 'ok')).standing.votes.a?.vote, 'up');
});

test('a fault of the probe makes its vote unknown', t => {
  const { standing } = run([ballot('a', 100, 'ok'), ballot('a', 10_000, 'probe')]);
  t.is(standing.votes.a?.vote, 'unknown');
  t.is(isFirstFailure(standing.votes.a, ballot('a', 20_000, 'probe')), false);
});

test('when regions go silent the verdict is undetermined from the moment the vote expired', t => {
  const up = run([ballot('a', 100, 'ok'), ballot('b', 200, 'ok'), ballot('c', 300, 'ok')]).standing;
  const judged = advance(up, 1_000_000);
  t.deepEqual(verdicts(judged.changes), [`undetermined@${200 + lifetime}`]);
});

test('a monitor that nobody ever checks becomes undetermined, not up', t => {
  t.deepEqual(verdicts(advance(start, 10_000_000).changes), [`undetermined@${lifetime}`]);
});

test('a change of the target drops all votes, one of quorum judges the kept ones from its own instant', t => {
  const { standing } = run([
    ballot('a', 100, 'err'),
    ballot('b', 100, 'ok'),
    ballot('c', 100, 'ok'),
    ballot('a', 1100, 'err', 2),
  ]);
  const stricter = reconfigure(standing, {
    rules: { ...rules, quorum: 1 },
    atMs: 5000,
    dropsVotes: false,
    movesFloor: true,
  });
  t.deepEqual(verdicts(stricter.changes), ['down@5000']);
  const edited = reconfigure(standing, { rules, atMs: 5000, dropsVotes: true, movesFloor: true });
  t.deepEqual([verdicts(edited.changes), edited.standing.votes], [['pending@5000'], {}]);
});

test('paused takes no votes and lets nothing expire', t => {
  const { standing } = run([ballot('a', 100, 'ok'), ballot('b', 100, 'ok')]);
  const paused = reconfigure(standing, {
    rules: { ...rules, enabled: false },
    atMs: 5000,
    dropsVotes: true,
    movesFloor: true,
  }).standing;
  t.is(nextExpiry(paused), null);
  t.is(count(paused, ballot('a', 6000, 'err', 2)).standing.verdict, 'paused');
});

const outcome = fc.constantFrom('ok', 'ok', 'warn', 'err', 'probe') as fc.Arbitrary<'ok' | 'warn' | 'err' | 'probe'>;
const story = fc
  .array(
    fc.record({
      region: fc.constantFrom('a', 'b', 'c'),
      gap: fc.integer({ min: 1, max: 20_000 }),
      outcome,
      attempt: fc.integer({ min: 1, max: 2 }),
    }),
    { maxLength: 60 },
  )
  .map(steps => {
    let at = 100;
    return steps.map(step => {
      at += step.gap;
      return ballot(step.region, at, step.outcome, step.attempt);
    });
  });

test('rows start in order, never say the same twice in a row, and never start before the floor', t => {
  fc.assert(
    fc.property(story, ballots => {
      const { rows } = run(ballots);
      return rows.every((row, place) => {
        const before = rows[place - 1];
        return row.since >= 0 && (before === undefined || (before.since < row.since && before.verdict !== row.verdict));
      });
    }),
  );
  t.pass();
});

test('sweeping at any moments gives the same history as not sweeping', t => {
  fc.assert(
    fc.property(story, fc.array(fc.integer({ min: 0, max: 900_000 })), (ballots, sweeps) => {
      let standing = start;
      let rows: VerdictChange[] = [{ since: 0, verdict: 'pending', votes: {}, configVersion: 1 }];
      const events = [...ballots.map(one => ({ at: one.asOf, one })), ...sweeps.map(at => ({ at, one: null }))].sort(
        (left, right) => left.at - right.at,
      );
      const end = ballots.at(-1)?.asOf ?? 0;
      for (const event of events.filter(candidate => candidate.at <= end)) {
        const judged = event.one === null ? advance(standing, event.at) : count(standing, event.one);
        standing = judged.standing;
        for (const change of judged.changes) rows = addChange(rows, change);
      }
      return JSON.stringify(verdicts(rows)) === JSON.stringify(verdicts(run(ballots).rows));
    }),
  );
  t.pass();
});

test('the history computed again from any moment is the one that live judging wrote', t => {
  fc.assert(
    fc.property(story, fc.nat(), (ballots, pick) => {
      fc.pre(ballots.length > 0);
      const { rows } = run(ballots);
      const from = ballots[pick % ballots.length]?.startedAt ?? 0;
      const stored = ballots.map(one => ({
        region: one.region,
        status: one.status,
        failure_source: one.failureSource,
        attempt: one.attempt,
        started_at: one.startedAt,
        completed_at: one.asOf,
        received_at: one.asOf,
        config_version: 1,
      }));
      const warmUp = from - lifetime;
      const inForce = rows.findLast(row => row.since <= from);
      const before = rows.filter(row => row.since >= (inForce?.since ?? 0));
      const past = {
        ballots: stored.filter(one => one.completed_at > warmUp),
        versions: [{ rules, at: 0, dropsVotes: true, movesFloor: true }],
        faults: [],
      };
      const again = replayHistory(before, past, warmUp, from, ballots.at(-1)?.asOf ?? 0);
      t.deepEqual(verdicts(again), verdicts(before));
    }),
    { numRuns: 300 },
  );
});

test('a result is late when its own vote would have expired or a newer one was judged', t => {
  const held = castVote(undefined, ballot('a', 10_000, 'ok'));
  t.true(isLate(held, ballot('a', 9000, 'ok'), 11_000));
  t.false(isLate(held, ballot('a', 20_000, 'ok'), 21_000));
  t.true(isLate(held, ballot('a', 20_000, 'ok'), 20_000 + lifetime));
});
