import test from 'ava';
import { CircuitBreaker } from '#control-plane/platform/resilience/circuit-breaker.ts';
import { staleIfError } from '#control-plane/platform/resilience/stale-if-error.ts';

const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

function open(bounds?: { forMs: number; countMax: number }) {
  let answer: () => string = () => 'first';
  let calls = 0;
  const lookUp = staleIfError(
    new CircuitBreaker(),
    async () => {
      calls++;
      return answer();
    },
    bounds,
  );
  const fail = (error: Error) => {
    answer = () => {
      throw error;
    };
  };
  return { lookUp, fail, calls: () => calls, say: (text: string) => (answer = () => text) };
}

test('while the database is away what was found last is repeated, and is not asked for again and again', async t => {
  const { lookUp, fail, calls, say } = open();
  t.is(await lookUp('a'), 'first');
  say('second');
  t.is(await lookUp('a'), 'second');
  fail(away);
  for (let index = 0; index < 10; index++) t.is(await lookUp('a'), 'second');
  t.is(calls(), 3);
  await t.throwsAsync(lookUp('unknown'));
});

test('a refusal is no absence: it ends what was remembered', async t => {
  const { lookUp, fail } = open();
  await lookUp('a');
  fail(new Error('token_revoked'));
  await t.throwsAsync(lookUp('a'), { message: 'token_revoked' });
  fail(away);
  await t.throwsAsync(lookUp('a'));
});

test('nothing is remembered for longer than its time, nor more than the bound', async t => {
  const old = open({ forMs: -1, countMax: 10 });
  await old.lookUp('a');
  old.fail(away);
  await t.throwsAsync(old.lookUp('a'));
  const few = open({ forMs: 60_000, countMax: 2 });
  for (const key of ['a', 'b', 'c']) await few.lookUp(key);
  few.fail(away);
  await t.throwsAsync(few.lookUp('a'));
  t.is(await few.lookUp('c'), 'first');
});
