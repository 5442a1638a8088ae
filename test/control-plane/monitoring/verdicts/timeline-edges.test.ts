import test from 'ava';
import { type Rules, voteLifetimeMs } from '#control-plane/monitoring/monitors/state/state.ts';
import {
  addChange,
  advance,
  observe,
  requarantine,
  requarantineLate,
  type Standing,
  type VerdictChange,
} from '#control-plane/monitoring/verdicts/timeline.ts';
import type { Observation } from '#control-plane/monitoring/verdicts/vote.ts';
import { makeVote } from '#test/support/monitor-state.ts';

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
const observation = (region: string, startedAt: number, status: 'ok' | 'err', attempt = 1, took = 5): Observation => ({
  region,
  status,
  failureSource: status === 'err' ? 'target' : null,
  attempt,
  startedAt,
  asOf: startedAt + took,
  expiresAt: startedAt + took + lifetime,
});

test('a first failure that was never confirmed is forgotten hours later', t => {
  const hour = 3_600_000;
  const start: Standing = { rules: rules(['a'], 1), verdict: 'pending', since: 0, earliestStart: 0, votes: {} };
  let standing = observe(start, observation('a', 1000, 'err')).standing;
  standing = advance(standing, 5 * hour).standing;
  standing = observe(standing, observation('a', 5 * hour, 'err')).standing;
  standing = observe(standing, observation('a', 5 * hour + 1000, 'err', 2)).standing;
  t.is(standing.verdict, 'down');
  t.is(standing.since, 5 * hour);
});

test('a second outage does not start before the end of the first one', t => {
  let standing: Standing = {
    rules: rules(['x', 'y', 'z'], 2),
    verdict: 'pending',
    since: 0,
    earliestStart: 0,
    votes: {},
  };
  let rows: VerdictChange[] = [];
  const reported: VerdictChange[] = [];
  const apply = (result: Observation) => {
    const judged = observe(standing, result);
    standing = judged.standing;
    for (const change of judged.changes) {
      rows = addChange(rows, change);
      reported.push(change);
    }
  };
  for (const region of ['x', 'y', 'z']) apply(observation(region, 0, 'ok'));
  for (const region of ['x', 'z'])
    for (const attempt of [1, 2]) apply(observation(region, 5000 + attempt, 'err', attempt));
  apply(observation('y', 9000, 'err', 1));
  apply(observation('x', 9500, 'ok'));
  apply(observation('y', 10_000, 'err', 2));
  const [, , firstEnd, second] = reported.map(change => change.since);
  t.deepEqual(
    reported.map(change => change.verdict),
    ['up', 'down', 'up', 'down'],
  );
  const history = rows.map(row => `${row.verdict}@${row.since}`);
  const overlap = `alerts [${reported[1]?.since}, ${firstEnd}] and [${second}, …] overlap; the history: ${history}`;
  t.true((second ?? 0) >= (firstEnd ?? 0), overlap);
});

test('a quarantine is the earliest start of what follows, but moves no later one back', t => {
  const none: ReadonlySet<string> = new Set();
  const standing: Standing = { rules: rules(['a'], 1), verdict: 'up', since: 0, earliestStart: 500, votes: {} };
  const earliestAfter = (atMs: number) => requarantine(standing, atMs, none, none).standing.earliestStart;
  t.is(earliestAfter(700), 700);
  t.is(earliestAfter(400), 500);
});

test('judging late by a quarantine expires no votes, and starts no earlier than the quarantine did', t => {
  const vote = (value: 'up' | 'down', since: number) => makeVote(since, { vote: value, expires_at: 5000 });
  const standing: Standing = {
    rules: rules(['a', 'b'], 1),
    verdict: 'down',
    since: 1000,
    earliestStart: 0,
    votes: { a: vote('down', 1000), b: vote('up', 1000) },
  };
  const begun = requarantineLate(standing, 60_000, 2000, new Set(['a']));
  t.is(begun.standing.verdict, 'undetermined');
  t.is(begun.standing.earliestStart, 2000);
  t.deepEqual(begun.standing.votes, standing.votes);
  const ended = requarantineLate({ ...standing, verdict: 'up', since: 500 }, 60_000, 2000, new Set());
  t.is(ended.standing.verdict, 'down');
  t.is(ended.standing.since, 2000);
});
