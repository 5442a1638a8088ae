import test from 'ava';
import type { Attempt, UnspooledResult } from '#agent/probe/check.ts';
import { Runner, type RunnerOptions } from '#agent/runner.ts';
import { makeAssignment } from '../support/gateway.ts';
import { makeResult } from '../support/results.ts';

type Started = Attempt & {
  id: string;
  end: (changes?: Partial<UnspooledResult>) => void;
  fail: (error: Error) => void;
};

/** A runner whose attempts end when the test says so. */
function makeRunner(changes: Partial<RunnerOptions> = {}) {
  const started: Started[] = [];
  const secondStarted = Promise.withResolvers<Started>();
  const reported: UnspooledResult[] = [];
  const errors: unknown[] = [];
  const runner = new Runner({
    concurrency: 2,
    lanes: () => 1,
    makeAttempt: ({ monitor_id }, attempt) => {
      const { promise, resolve, reject } = Promise.withResolvers<UnspooledResult>();
      const end: Started['end'] = fields => resolve(makeResult({ monitor_id, attempt: attempt.attempt, ...fields }));
      const entry = { ...attempt, id: monitor_id, end, fail: reject };
      started.push(entry);
      if (attempt.attempt === 2) secondStarted.resolve(entry);
      return promise;
    },
    report: result => reported.push(result),
    onError: error => errors.push(error),
    secondAttemptAfterMs: 0,
    ...changes,
  });
  const start = (id: string, kind: Attempt['kind'] = 'scheduled', lane?: string) =>
    runner.start(
      makeAssignment({ url: 'http://x/', monitor_id: id, ...(lane === undefined ? {} : { lane }) }),
      kind,
      1000,
    );
  return { runner, started, reported, errors, start, secondAttempt: secondStarted.promise };
}

/** Lets everything run that waits for nothing but its turn. */
const settle = () => new Promise<void>(resolve => setImmediate(resolve));
const ids = (started: readonly Started[]) => started.map(({ id }) => id);

test('at most `concurrency` attempts run at once, and the next starts when one ends', async t => {
  const { runner, started, start } = makeRunner();
  for (const id of ['a', 'b', 'c', 'd']) t.not(start(id), null);
  await settle();
  t.deepEqual(ids(started), ['a', 'b']);
  t.is(runner.queued, 2);
  started[0]?.end();
  await settle();
  t.deepEqual(ids(started), ['a', 'b', 'c']);
  t.is(runner.queued, 1);
});

test('twice the concurrency may wait; a further run is refused until there is capacity', async t => {
  const { runner, started, start } = makeRunner();
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) t.not(start(id), null);
  await settle();
  t.is(runner.queued, 4);
  t.is(start('g'), null);
  started[0]?.end();
  await settle();
  t.not(start('g'), null);
});

test('confirmations overtake scheduled attempts that wait', async t => {
  const { started, start } = makeRunner({ concurrency: 1 });
  start('running');
  start('scheduled');
  start('confirmed', 'confirm');
  await settle();
  started[0]?.end();
  await settle();
  t.deepEqual(ids(started), ['running', 'confirmed']);
});

test('a failure is reported at once and followed by a second attempt of the same slot', async t => {
  const { started, reported, start, secondAttempt } = makeRunner();
  const run = start('a');
  await settle();
  started[0]?.end({ status: 'err', failure_source: 'target' });
  await settle();
  t.like(reported, { length: 1, 0: { attempt: 1, status: 'err' } });
  const second = await secondAttempt;
  t.like(second, { id: 'a', kind: 'scheduled', attempt: 2, scheduledAt: 1000 });
  second.end({ status: 'err' });
  await run;
  t.is(reported.length, 2);
  t.is(started.length, 2);
});

for (const [title, changes] of [
  ['a success', { status: 'ok' }],
  ['a warning', { status: 'warn' }],
  ['a failure of the agent itself', { status: 'err', failure_source: 'probe' }],
] as const)
  test(`${title} is not followed by a second attempt`, async t => {
    const { started, reported, start } = makeRunner();
    const run = start('a');
    await settle();
    started[0]?.end(changes);
    await run;
    t.is(started.length, 1);
    t.is(reported.length, 1);
  });

test('an attempt that throws is passed to onError, and the runner continues', async t => {
  const { started, reported, errors, start } = makeRunner({ concurrency: 1 });
  const broken = start('broken');
  const next = start('next');
  await settle();
  started[0]?.fail(new Error('bug'));
  await broken;
  t.like(errors, { length: 1, 0: { message: 'bug' } });
  await settle();
  started[1]?.end();
  await next;
  t.is(reported.length, 1);
});

test('draining waits for running and queued attempts, and no run starts afterwards', async t => {
  const { runner, started, start } = makeRunner({ concurrency: 1 });
  start('a');
  start('b');
  await settle();
  const drained = runner.drain(60_000);
  t.is(start('c'), null);
  started[0]?.end();
  await settle();
  started[1]?.end();
  t.true(await drained);
  t.deepEqual(ids(started), ['a', 'b']);
});

test('draining gives up after its limit', async t => {
  const { runner, start } = makeRunner();
  start('endless');
  t.false(await runner.drain(1));
});

test('an idle runner is drained at once', async t => {
  t.true(await makeRunner().runner.drain(60_000));
});

test('slow targets of one lane leave slots for another, which starts at once', async t => {
  const { started, start } = makeRunner({ concurrency: 100, lanes: () => 2 });
  for (let index = 0; index < 300; index++) start(`slow ${index}`, 'scheduled', 'hostile');
  await settle();
  t.true(started.length < 50);
  for (let index = 0; index < 25; index++) t.not(start(`innocent ${index}`, 'scheduled', 'other'), null);
  await settle();
  t.is(started.filter(({ id }) => id.startsWith('innocent')).length, 25);
  const before = started.length;
  for (const { end } of started.filter(({ id }) => id.startsWith('slow'))) end();
  await settle();
  t.true(started.length > before, 'those that waited start');
});

test('one lane cannot fill the queue for another, and lanes that wait take turns', async t => {
  const { started, start } = makeRunner({ concurrency: 4, lanes: () => 2 });
  const accepted = Array.from({ length: 20 }, (_, index) => start(`a${index}`, 'scheduled', 'a'));
  t.true(accepted.at(-1) === null);
  for (const id of ['b0', 'b1', 'b2']) t.not(start(id, 'scheduled', 'b'), null);
  await settle();
  const first = ids(started);
  t.true(first.includes('a0') && first.includes('b0'), first.join());
});

test('monitors without a lane share one, which may use everything', async t => {
  const { started, start } = makeRunner({ concurrency: 10 });
  for (let index = 0; index < 10; index++) start(`m${index}`);
  await settle();
  t.is(started.length, 10);
});
