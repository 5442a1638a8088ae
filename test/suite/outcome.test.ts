import test from 'ava';
import type { Event } from 'ava/internal';
import { readOutcome } from './outcome.ts';
import { judgeRun } from './stage.ts';

const quiet = {
  byFile: new Map(),
  declaredTests: 4,
  failedHooks: 0,
  failedTests: 0,
  failedWorkers: 0,
  files: 1,
  parallelRuns: undefined,
  finishedWorkers: 0,
  internalErrors: 0,
  remainingTests: 0,
  passedKnownFailingTests: 0,
  passedTests: 2,
  selectedTests: 4,
  sharedWorkerErrors: 0,
  skippedTests: 0,
  timedOutTests: 0,
  timeouts: 0,
  todoTests: 0,
  uncaughtExceptions: 0,
  unhandledRejections: 0,
};
type Stats = typeof quiet;

async function* eventsOf(stats: Partial<Stats>, ...events: Event[]): AsyncGenerator<Event> {
  yield* events;
  yield { type: 'stats', stats: { ...quiet, ...stats } };
  yield { type: 'end' };
}

const err = { type: 'native', message: '', name: 'Error', originalError: null, stack: '', source: undefined } as const;
const about = { duration: 1, knownFailing: false, logs: [], testFile: 'a.test.ts' };

test('a run in which everything passes has no failures', async t => {
  t.deepEqual(await readOutcome(eventsOf({})), { passed: 2, failures: [] });
});

test('each failed test is named', async t => {
  const failed: Event = { type: 'test-failed', title: 'one', err, ...about };
  t.deepEqual(await readOutcome(eventsOf({ failedTests: 1 }, failed)), { passed: 2, failures: ['one'] });
});

test('what a failed test logged is said below its name', async t => {
  const logs = ['the page shows: nothing\nfailed: none', 'more'];
  const failed: Event = { type: 'test-failed', title: 'one', err, ...about, logs };
  const { failures } = await readOutcome(eventsOf({ failedTests: 1 }, failed));
  t.deepEqual(failures, ['one\n     the page shows: nothing\n     failed: none\n     more']);
});

test('a failed test of a group is named with its group', async t => {
  const testFile = '/x/artifacts/test-groups/1/3-plain.test.ts';
  const failed: Event = { type: 'test-failed', title: 'a › one', err, ...about, testFile };
  t.deepEqual((await readOutcome(eventsOf({ failedTests: 1 }, failed))).failures, ['3-plain › a › one']);
});

test('of the tests that are pending when none has ended for too long the first is the one that hangs', async t => {
  const pendingTests = new Map([['a.test.ts', new Set(['one', 'two'])]]);
  const hung: Event = { type: 'timeout', period: 180_000, pendingTests };
  const { failures } = await readOutcome(eventsOf({ timeouts: 1, timedOutTests: 2, remainingTests: 2 }, hung));
  t.deepEqual(failures, ['one (hangs)', 'two (did not end)']);
});

test('a failure without the name of a test is one as well', async t => {
  const kinds: Partial<Stats>[] = [
    { failedHooks: 1 },
    { internalErrors: 1 },
    { sharedWorkerErrors: 1 },
    // A process that ended with tests left, and one that did not end after all its tests had.
    { remainingTests: 1 },
    { timeouts: 1 },
  ];
  for (const stats of kinds) t.is((await readOutcome(eventsOf(stats))).failures.length, 1, JSON.stringify(stats));
});

test('what is thrown outside of tests is named, and tests that it kept from their end are one line', async t => {
  const testFile = '/x/artifacts/test-groups/1/3-plain.test.ts';
  const stack = 'Error: away\n    at f (node:events:1:2)\n    at g (file:///x/shared/what.ts:3:7)';
  const crashes = [
    { type: 'uncaught-exception', testFile, err: { message: 'away', stack } },
    { type: 'unhandled-rejection', testFile, err: { formattedError: 'null' } },
  ] as unknown as Event[];
  const stats = { uncaughtExceptions: 1, unhandledRejections: 1, remainingTests: 105 };
  t.deepEqual((await readOutcome(eventsOf(stats, ...crashes))).failures, [
    '3-plain › uncaught-exception: Error: away at g (file:///x/shared/what.ts:3:7)',
    '3-plain › unhandled-rejection: null',
    '105 tests did not end: their process did',
  ]);
});

test('a run that was ended before AVA said what it came to has failed, and so has one that ends with a code', t => {
  t.is(judgeRun('tests', 1, null).failures.length, 1);
  t.is(judgeRun('tests', 0, null).failures.length, 1);
  t.is(judgeRun('tests', 1, { passed: 3, failures: [] }).failures.length, 1);
  t.deepEqual(judgeRun('tests', 1, { passed: 3, failures: ['one'] }), { passed: 3, failures: ['one'] });
  t.deepEqual(judgeRun('tests', 0, { passed: 3, failures: [] }), { passed: 3, failures: [] });
});
