import test from 'ava';
import type { Vote } from '#control-plane/monitoring/monitors/state/state.ts';
import { adoptVotes } from '#control-plane/monitoring/verdicts/history.ts';
import { makeState, makeVote, testRules } from '#test/support/monitor-state.ts';

const nowMs = 100_000;
const up = makeVote(95_000);
const down: Vote = { ...makeVote(94_000), vote: 'down', since: 93_000, judged_at: 95_000 };
const state = makeState({ verdict: 'up', votes: { a: up, b: up, c: up } });

const nothing: ReadonlySet<string> = new Set();
const end = (votes: Record<string, Vote>) => ({
  standing: { rules: testRules, verdict: 'up' as const, since: 0, earliestStart: 0, votes },
});
const adopted = (votes: Record<string, Vote>, changes: Partial<typeof state> = {}, read = state) =>
  adoptVotes({ ...read, ...changes }, read, end(votes), nothing, nowMs);

test('a vote that only late results cast counts for what comes next', t => {
  t.deepEqual(adopted({ a: up, b: down, c: up }), { a: up, b: down, c: up });
});

test('so does a first failed attempt, which the next one confirms', t => {
  const failing = { ...up, failing_since: 94_500 };
  t.deepEqual(adopted({ a: failing, b: up, c: up }).a, failing);
});

test('a vote that late results refreshed, as those of an earlier version, lasts as long as in the history', t => {
  const refreshed = makeVote(97_000);
  t.deepEqual(adopted({ a: refreshed, b: up, c: up }).a, refreshed);
  t.deepEqual(adopted({ a: makeVote(93_000), b: up, c: up }).a, up);
});

test('votes that would change the verdict are not adopted: a replay opens no alert', t => {
  t.deepEqual(adopted({ a: down, b: down, c: up }), state.votes);
  t.deepEqual(adopted({ a: up, b: down, c: up }, { verdict: 'paused' }), state.votes);
});

test('a vote of a quarantined region is adopted, and counts as little as before', t => {
  const votes = { a: down, b: up };
  const read = makeState({ verdict: 'undetermined', votes });
  t.deepEqual(adoptVotes(read, read, end({ ...votes, c: down }), nothing, nowMs), votes);
  t.deepEqual(adoptVotes(read, read, end({ ...votes, c: down }), new Set(['c']), nowMs), { ...votes, c: down });
});

test('a region that reported while the history was computed keeps its vote', t => {
  const newer = makeVote(99_000);
  t.deepEqual(adopted({ a: down, b: up, c: up }, { votes: { ...state.votes, a: newer } }).a, newer);
  const judged = { ...up, judged_at: 99_000 };
  t.deepEqual(adopted({ a: down, b: up, c: up }, { votes: { ...state.votes, a: judged } }).a, judged);
});

test('a vote by a result that the replay has not read stays', t => {
  const read = makeState({ verdict: 'up', votes: { a: { ...down, judged_at: 99_000 }, b: up, c: up } });
  t.is(adopted({ a: up, b: up, c: up }, {}, read).a?.vote, 'down');
});

test('what has run out is left to the sweep, which may be held', t => {
  const gone: Vote = { ...up, vote: 'unknown', expires_at: null };
  t.deepEqual(adopted({ a: gone, b: { ...down, expires_at: nowMs }, c: up }), state.votes);
});

test('of two votes that have run out the later one is kept: the history was decided by it', t => {
  const goneAt = (since: number): Vote => ({
    ...up,
    vote: 'unknown',
    since,
    expires_at: null,
    judged_at: since - 1000,
  });
  const read = makeState({ verdict: 'up', votes: { a: goneAt(70_000), b: up, c: up } });
  t.deepEqual(adopted({ a: goneAt(80_000), b: up, c: up }, {}, read).a, goneAt(80_000));
  t.deepEqual(adopted({ a: goneAt(60_000), b: up, c: up }, {}, read).a, goneAt(70_000));
  const failing = makeState({
    verdict: 'up',
    votes: { ...read.votes, a: { ...goneAt(70_000), failing_since: 60_000 } },
  });
  t.deepEqual(adopted({ a: goneAt(70_000), b: up, c: up }, {}, failing).a, goneAt(70_000), 'with its first failure');
});

test('votes of regions that the monitor no longer has, and a history that could not be computed, change nothing', t => {
  t.deepEqual(adopted({ elsewhere: down, a: up, b: up, c: up }), state.votes);
  t.deepEqual(adoptVotes(state, state, null, nothing, nowMs), state.votes);
});
