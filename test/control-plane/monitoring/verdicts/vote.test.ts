import test from 'ava';
import fc from 'fast-check';
import type { Vote } from '#control-plane/monitoring/monitors/state/state.ts';
import {
  expireVote,
  isFirstFailure,
  isFirstRecovery,
  isLate,
  nextVote,
  type Observation,
  toObservation,
} from '#control-plane/monitoring/verdicts/vote.ts';
import { lifetimeMs, makeObservation, makeVote } from '#test/support/monitor-state.ts';

const at = 1_000_000;
const earlier = at - 10_000;
const up = makeVote(earlier);
const down = makeVote(earlier, { vote: 'down', since: earlier - 500 });
const suspected = makeVote(earlier, { failing_since: at - 3000 });
const unknown = makeVote(earlier, { vote: 'unknown', expires_at: null });
const success = makeObservation(at);
const warning = makeObservation(at, { status: 'warn' });
const failure = makeObservation(at, { status: 'err', failureSource: 'target' });
const secondFailure = { ...failure, attempt: 2 };
const probeFault = makeObservation(at, { status: 'err', failureSource: 'probe' });
const expires_at = at + lifetimeMs;

const cases: readonly (readonly [string, Vote | undefined, Observation, Partial<Vote>])[] = [
  ['no vote, success', undefined, success, { vote: 'up', since: at, as_of: at, expires_at, judged_at: at }],
  ['no vote, warning', undefined, warning, { vote: 'warn', since: at, as_of: at, expires_at, judged_at: at }],
  ['no vote, first failure', undefined, failure, { vote: 'unknown', expires_at: null, failing_since: at - 5 }],
  ['no vote, second failure', undefined, secondFailure, { vote: 'down', since: at - 5, as_of: at, expires_at }],
  ['up, success', up, success, { vote: 'up', since: earlier, as_of: at, expires_at }],
  ['up, warning', up, warning, { vote: 'warn', since: at, as_of: at, expires_at }],
  ['up, first failure', up, failure, { ...up, failing_since: at - 5, judged_at: at }],
  ['up, second failure without a first', up, secondFailure, { vote: 'down', since: at - 5, failing_since: null }],
  ['suspected, success', suspected, success, { vote: 'up', since: earlier, failing_since: null }],
  ['suspected, first failure', suspected, failure, { ...suspected, judged_at: at }],
  ['suspected, second failure', suspected, secondFailure, { vote: 'down', since: at - 3000, failing_since: null }],
  ['down, failure', down, failure, { vote: 'down', since: down.since, as_of: at, expires_at, failing_since: null }],
  ['down, success', down, success, { vote: 'up', since: at, as_of: at, expires_at }],
  ['down, warning', down, warning, { vote: 'warn', since: at, as_of: at, expires_at }],
  ['up, fault of the probe', up, probeFault, { vote: 'unknown', since: at, as_of: at, expires_at: null }],
  [
    'up, fault of the resolver',
    up,
    { ...probeFault, failureSource: 'resolver' },
    { vote: 'unknown', expires_at: null, reason: 'resolver' },
  ],
  [
    'up, an address that agents may not reach',
    up,
    { ...probeFault, failureSource: 'blocked_address' },
    { vote: 'unknown', expires_at: null, reason: 'blocked_address' },
  ],
  ['down, fault of the probe', down, probeFault, { vote: 'unknown', since: at, as_of: at, expires_at: null }],
  ['unknown, success', unknown, success, { vote: 'up', since: at, as_of: at, expires_at }],
];

test('a vote says which addresses of the newest result did not answer, until it runs out', t => {
  const partialAddresses = { answering: 1, total: 2, failing: [{ address: '192.0.2.1', error_code: 'timeout' }] };
  for (const [seen, before] of [
    [success, up],
    [failure, up],
    [failure, down],
    [probeFault, up],
  ] as const) {
    const partial = nextVote(before, { ...seen, partialAddresses });
    t.deepEqual(partial, { ...nextVote(before, seen), partial_addresses: partialAddresses });
    t.deepEqual(
      nextVote(partial, { ...success, asOf: at + 1 }),
      nextVote(nextVote(before, seen), { ...success, asOf: at + 1 }),
    );
    t.false('partial_addresses' in expireVote(partial));
  }
});

for (const [title, before, observation, expected] of cases) {
  test(`${title}: the vote is ${expected.vote}`, t => {
    t.like(nextVote(before, observation), { ...expected, judged_at: at });
  });
}

for (const [age, since] of [
  [lifetimeMs, at - lifetimeMs],
  [lifetimeMs + 1, at - 5],
] as const) {
  test(`a first failure ${age} ms ago and a second one now: down since ${since}`, t => {
    const before = makeVote(earlier, { failing_since: at - age });
    t.is(nextVote(before, secondFailure).since, since);
    t.is(isFirstFailure(before, failure), age > lifetimeMs);
  });
}

test('an older result never lowers the newest judged instant', t => {
  t.is(nextVote(makeVote(at + 1), success).judged_at, at + 1);
});

test('an expired vote is unknown since its expiry and suspects nothing', t => {
  t.deepEqual(expireVote(suspected), {
    ...suspected,
    vote: 'unknown',
    since: earlier + lifetimeMs,
    expires_at: null,
    failing_since: null,
  });
  t.is(expireVote(unknown).since, earlier, 'a vote without an expiry keeps its start');
});

for (const [title, before, observation, expected] of [
  ['no vote, failure', undefined, failure, true],
  ['up, failure', up, failure, true],
  ['unknown, failure', unknown, failure, true],
  ['suspected, failure', suspected, failure, false],
  ['down, failure', down, failure, false],
  ['up, success', up, success, false],
  ['up, warning', up, warning, false],
  ['up, fault of the probe', up, probeFault, false],
] as const) {
  test(`${title}: ${expected ? 'a' : 'no'} first failure`, t => {
    t.is(isFirstFailure(before, observation), expected);
  });
}

for (const [title, before, observation, expected] of [
  ['down, success', down, success, true],
  ['down, warning', down, warning, true],
  ['down, failure', down, failure, false],
  ['up, success', up, success, false],
  ['no vote, success', undefined, success, false],
] as const) {
  test(`${title}: ${expected ? 'a' : 'no'} first recovery`, t => {
    t.is(isFirstRecovery(before, observation), expected);
  });
}

for (const [title, before, nowMs, expected] of [
  ['whose vote would expire now', undefined, expires_at, true],
  ['whose vote would expire in a millisecond', undefined, expires_at - 1, false],
  ['older than the newest of its region', makeVote(at + 1), at, true],
  ['as old as the newest of its region', makeVote(at), at, false],
] as const) {
  test(`a result ${title} is ${expected ? 'late' : 'not late'}`, t => {
    t.is(isLate(before, success, nowMs), expected);
  });
}

const instant = fc.integer({ min: 0, max: 10_000_000 });

test('nothing is observed after it was received, and nothing starts after it completed', t => {
  fc.assert(
    fc.property(instant, instant, instant, (startedAt, completedAt, receivedAt) => {
      const seen = { region: 'a', status: 'ok', failureSource: null, attempt: 1 } as const;
      const { asOf, ...rest } = toObservation({ ...seen, startedAt, completedAt, receivedAt }, lifetimeMs);
      t.is(asOf, Math.min(completedAt, receivedAt));
      t.deepEqual(rest, { ...seen, startedAt: Math.min(startedAt, asOf), expiresAt: asOf + lifetimeMs });
    }),
  );
});

test('a vote never starts after it was cast, and only an unknown one has no expiry', t => {
  const observation = fc
    .record({
      asOf: instant,
      tookMs: fc.nat({ max: 60_000 }),
      attempt: fc.constantFrom(1, 2),
      status: fc.constantFrom('ok' as const, 'warn' as const, 'err' as const),
      failureSource: fc.constantFrom('target' as const, 'probe' as const),
    })
    .map(({ asOf, tookMs, failureSource, ...changes }) =>
      makeObservation(asOf, {
        ...changes,
        startedAt: asOf - tookMs,
        failureSource: changes.status === 'err' ? failureSource : null,
      }),
    );
  fc.assert(
    fc.property(fc.array(observation, { minLength: 1, maxLength: 20 }), observations => {
      let vote: Vote | undefined;
      for (const next of observations.toSorted((left, right) => left.asOf - right.asOf)) vote = nextVote(vote, next);
      t.true(vote !== undefined && vote.since <= vote.as_of && vote.as_of <= vote.judged_at);
      t.is(vote?.expires_at === null, vote?.vote === 'unknown');
    }),
  );
});
