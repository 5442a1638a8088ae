import test from 'ava';
import { createRecorder, type Recorder } from '#control-plane/monitoring/checks/intake/recorder.ts';
import { VersionBook } from '#control-plane/monitoring/checks/intake/version-book.ts';
import { weightOf } from '#control-plane/monitoring/checks/intake/weight.ts';
import { createResultPublisher } from '#control-plane/operations/intake/nats/result-publisher.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { systemClock } from '#shared/clock.ts';
import { createLog } from '#shared/log.ts';
import { makeResult } from '#test/support/results.ts';

const reported = (assertions: ReturnType<typeof makeResult>['assertions']) => ({
  result: { ...makeResult(), seq: 1, assertions },
  agentId: 'agt_1',
  region: 'r',
  isPrivate: true,
});
const outcome = (length: number) => ({
  index: 0,
  type: 'json_path' as const,
  passed: false,
  expected: 'x'.repeat(length),
  actual: 'y'.repeat(length),
});

test('an ordinary result weighs one in a queue, the largest one fifteen', t => {
  t.is(weightOf(reported([])), 1);
  t.is(weightOf(reported([{ ...outcome(300), actual: null }])), 1);
  t.is(weightOf(reported(Array.from({ length: 50 }, () => outcome(300)))), 15);
});

/** Whether the queue of an agent is full with 150 results of one monitor that nothing takes. */
function isFull(recorder: Recorder, outcomes: number): boolean {
  const one = reported(Array.from({ length: outcomes }, () => outcome(300)));
  void recorder
    .record(
      one,
      Array.from({ length: 150 }, () => one),
    )
    .catch(() => {});
  const full = recorder.full(one.agentId);
  void recorder.stop(0);
  return full;
}

const never = new Promise<never>(() => {});
const waiting = { versions: new VersionBook(), pool: { query: () => never, connect: () => never } };
const common = { clock: systemClock, log: createLog({ name: 'test', level: 'silent' }) };

for (const [title, open] of [
  ['the database', () => createRecorder({ ...common, metrics: createMetrics(), ...waiting } as never)],
  [
    'the broker',
    () => createResultPublisher({ ...common, metrics: createMetrics(), broker: { publish: () => never } }),
  ],
] as const)
  test(`results that wait for ${title} fill the queue of their agent by what they hold`, t => {
    t.false(isFull(open(), 1));
    t.true(isFull(open(), 50));
  });
