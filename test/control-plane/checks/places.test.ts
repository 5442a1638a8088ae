import test from 'ava';
import { placesOf } from '#control-plane/checks/places.ts';
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

test('an ordinary result takes one place of a queue, the largest one fifteen', t => {
  t.is(placesOf(reported([])), 1);
  t.is(placesOf(reported([{ ...outcome(300), actual: null }])), 1);
  t.is(placesOf(reported(Array.from({ length: 50 }, () => outcome(300)))), 15);
});
