import test from 'ava';
import { redactorOf, redactSecrets } from '#agent/probe/redact-secrets.ts';
import { SecretIndexes } from '#agent/probe/secret-indexes.ts';
import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import { makeAssignment } from '../../support/gateway.ts';

const url = 'https://target.example/';
const outcomeOf = (actual: string | null): AssertionOutcome => ({
  index: 0,
  type: 'header',
  passed: false,
  expected: 'header x-echo eq "x"',
  actual,
});

test('what a request contains is indexed once for each version of an assignment', t => {
  const indexes = new SecretIndexes(() => 1);
  const first = makeAssignment({ url, headers: { 'X-Key': 'abcdef123' } });
  const second = { ...first, config_version: first.config_version + 1, headers: { 'X-Key': 'ghijkl456' } };
  t.is(indexes.of(first), indexes.of(first));
  t.is(redactSecrets([outcomeOf('abcdef123')], () => indexes.of(first))[0]?.actual, '[redacted]');
  t.is(redactSecrets([outcomeOf('abcdef123 ghijkl456')], () => indexes.of(second))[0]?.actual, 'abcdef123 [redacted]');
});

test('nothing is indexed while no result shows a text that is long enough for a secret', t => {
  const never = () => t.fail() as never;
  const outcomes = [outcomeOf(null), outcomeOf('503'), outcomeOf('abcde')];
  t.is(redactSecrets([], never).length, 0);
  t.is(redactSecrets(outcomes, never), outcomes);
});

test('an assignment that is run no more leaves no index behind, even if a check of it still ends', t => {
  const indexes = new SecretIndexes(() => 1);
  const assignment = makeAssignment({ url, headers: { 'X-Key': 'abcdef123' } });
  indexes.of(assignment);
  t.true(indexes.bytes > 0);
  indexes.forget(assignment);
  t.is(indexes.bytes, 0);
  t.is(redactSecrets([outcomeOf('abcdef123')], () => indexes.of(assignment))[0]?.actual, '[redacted]');
  indexes.forget(assignment);
  t.is(indexes.bytes, 0);
});

test('a lane that has used up its memory for indexes is shown no text at all, and another lane is not affected', t => {
  const indexes = new SecretIndexes(() => 2, 20_000);
  const large = (lane: string) => makeAssignment({ lane, url, headers: { 'X-Key': 'abcdef123'.repeat(80) } });
  let count = 0;
  while (indexes.of(large('a')) !== null) count++;
  t.true(count > 0 && indexes.bytes <= 20_000);
  const outcomes = [outcomeOf('200'), outcomeOf('all is well'), outcomeOf(null)];
  t.deepEqual(
    redactSecrets(outcomes, () => indexes.of(large('a'))).map(({ actual }) => actual),
    ['200', '[redacted]', null],
  );
  t.is(redactorOf(() => indexes.of(large('a')))('all is well', 100), '[redacted]');
  t.not(indexes.of(makeAssignment({ lane: 'b', url, headers: { 'X-Key': 'abcdef123' } })), null);
});

test('an index takes less than ten bytes for each character of the largest requests', t => {
  const words = Array.from({ length: 7200 }, (_, index) => String(index * 7919).padStart(6, 'w'));
  const forms = [JSON.stringify(words), words.join('='), `["${'a"b\\c'.repeat(9000)}"]`, 'é😀'.repeat(20_000)];
  for (const body of forms) {
    const indexes = new SecretIndexes(() => 1);
    indexes.of(makeAssignment({ url, headers: {}, body }));
    t.true(indexes.bytes < body.length * 10, `${indexes.bytes} bytes for ${body.length} characters`);
  }
});

test('the memory for a token in all its forms is asked for before it is indexed', t => {
  const token = Buffer.from(Array.from({ length: 6000 }, (_, index) => (index * index * 7919) % 251));
  const headers = { Authorization: `Bearer ${token.toString('base64')}` };
  const indexes = new SecretIndexes(() => 1);
  indexes.of(makeAssignment({ url, headers }));
  const { bytes } = indexes;
  t.true(bytes > 0);
  const small = new SecretIndexes(() => 1, bytes - 1);
  t.is(small.of(makeAssignment({ url, headers })), null);
});

test('a step’s password is hidden alone', t => {
  const authorization = `Basic ${Buffer.from('ann:hunter22!').toString('base64')}`;
  const sent = [{ url, headers: { authorization }, body: null }];
  const run = new SecretIndexes(() => 1).ofRun(makeAssignment({ url, headers: {} }), { sent, values: [] });
  t.is(redactSecrets([outcomeOf('no account with hunter22!')], () => run)[0]?.actual, 'no account with [redacted]');
});
