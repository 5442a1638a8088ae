import test from 'ava';
import { voteText } from '#control-plane/on-call/explain/vote-text.ts';
import { errorCodes } from '#shared/check-result.ts';
import { describeFailure } from '#shared/checks/failure-words.ts';

type Explained = Parameters<typeof voteText>[0];
const since = '2026-11-27T10:00:00.000Z';
const none: Explained = {
  region: 'eu',
  vote: 'up',
  since,
  age_ms: 2340,
  why_not: null,
  partial_addresses: null,
  check: null,
};
const failing = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ address: `192.0.2.${index + 1}`, error_code: 'connect_refused' }));

const rows: [Partial<Explained>, string][] = [
  [{}, 'eu up 2.3 s before'],
  [{ vote: 'warn' }, 'eu warned 2.3 s before'],
  [{ vote: 'down' }, `eu failed since ${since}`],
  [{ vote: 'unknown', why_not: 'expired' }, 'eu not counted (no recent result)'],
  [{ vote: 'down', why_not: 'quarantined' }, 'eu not counted (it fails alone for many monitors)'],
  [
    { partial_addresses: { answering: 1, total: 2, failing: failing(1) } },
    'eu up (1 of 2 addresses answer; 192.0.2.1: the connection was refused) 2.3 s before',
  ],
  [
    { partial_addresses: { answering: 1, total: 7, failing: failing(6) }, age_ms: null },
    `eu up (1 of 7 addresses answer; ${failing(4)
      .map(({ address }) => `${address}: the connection was refused`)
      .join('; ')}; 2 more)`,
  ],
];
for (const [given, said] of rows) test(said, t => t.is(voteText({ ...none, ...given }), said));

test('a vote says its error in words, and where it failed', t => {
  const error = { code: 'dns_failure', message: 'ENOTFOUND', phase: 'dns', host: 'api.example' };
  const check = { error, steps: null, diagnosis: null } as unknown as Explained['check'];
  t.is(
    voteText({ ...none, vote: 'down', check }),
    `eu dns_failure since ${since}: the name could not be resolved at api.example`,
  );
});

test('each error code has words of its own', t => {
  const words = errorCodes.map(describeFailure);
  t.deepEqual(
    words.filter(text => text.includes('_')),
    [],
  );
  t.is(new Set(words).size, errorCodes.length);
  t.is(describeFailure('assertion:json_path'), 'the assertion on json path failed');
  t.is(describeFailure('of_a_newer_agent'), 'of a newer agent');
});
