import test from 'ava';
import { type Rules, voteLifetimeMs } from '#control-plane/monitors/state.ts';
import { addChange, advance, count, type Standing, type VerdictChange } from '#control-plane/verdicts/timeline.ts';
import type { Ballot } from '#control-plane/verdicts/vote.ts';

const rules = (regions: readonly string[], quorum: number): Rules => ({
  configVersion: 1,
  regions,
  quorum,
  intervalMs: 10_000,
  timeoutMs: 1000,
  enabled: true,
  deleted: false,
});
const lifetime = voteLifetimeMs(10_000, 1000);
const ballot = (region: string, startedAt: number, status: 'ok' | 'err', attempt = 1, took = 5): Ballot => ({
  region,
  status,
  failureSource: status === 'err' ? 'target' : null,
  attempt,
  startedAt,
  asOf: startedAt + took,
  expiresAt: startedAt + took + lifetime,
});

test('a first failure that was never confirmed says nothing hours later', t => {
  const hour = 3_600_000;
  const start: Standing = { rules: rules(['a'], 1), verdict: 'pending', since: 0, floor: 0, votes: {} };
  let standing = count(start, ballot('a', 1000, 'err')).standing;
  standing = advance(standing, 5 * hour).standing;
  standing = count(standing, ballot('a', 5 * hour, 'err')).standing;
  standing = count(standing, ballot('a', 5 * hour + 1000, 'err', 2)).standing;
  t.is(standing.verdict, 'down');
  t.is(standing.since, 5 * hour);
});

test('a second outage does not start before the end of the first was told', t => {
  let standing: Standing = { rules: rules(['x', 'y', 'z'], 2), verdict: 'pending', since: 0, floor: 0, votes: {} };
  let rows: VerdictChange[] = [];
  const told: VerdictChange[] = [];
  const cast = (one: Ballot) => {
    const judged = count(standing, one);
    standing = judged.standing;
    for (const change of judged.changes) {
      rows = addChange(rows, change);
      told.push(change);
    }
  };
  for (const region of ['x', 'y', 'z']) cast(ballot(region, 0, 'ok'));
  for (const region of ['x', 'z']) for (const attempt of [1, 2]) cast(ballot(region, 5000 + attempt, 'err', attempt));
  cast(ballot('y', 9000, 'err', 1));
  cast(ballot('x', 9500, 'ok'));
  cast(ballot('y', 10_000, 'err', 2));
  const [, , firstEnd, second] = told.map(change => change.since);
  t.deepEqual(
    told.map(change => change.verdict),
    ['up', 'down', 'up', 'down'],
  );
  t.true(
    (second ?? 0) >= (firstEnd ?? 0),
    `alerts [${told[1]?.since}, ${firstEnd}] and [${second}, …] overlap; the history: ${rows.map(row => `${row.verdict}@${row.since}`)}`,
  );
});
