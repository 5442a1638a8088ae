import test from 'ava';
import { type WireResult, wireResultSchema } from '#shared/check-result.ts';
import { newId } from '#shared/ids.ts';
import { makeResult } from '../support/results.ts';

const result: WireResult = { ...makeResult({ monitor_id: newId('mon') }), seq: 1 };
const outcome = { index: 0, type: 'status', passed: true, expected: 'status eq 200', actual: '200' };

const cases: [what: string, changes: Record<string, unknown>, valid: boolean][] = [
  ['a plain result', {}, true],
  ['the number 0', { seq: 0 }, false],
  ['a monitor id of another kind', { monitor_id: newId('chk') }, false],
  ['the attempt 2', { attempt: 2 }, true],
  ['the attempt 3', { attempt: 3 }, false],
  ['an unknown status', { status: 'down' }, false],
  ['an instant with a fraction', { started_at: 1.5 }, false],
  ['a latency of a day', { latency_ms: 86_400_000 }, true],
  ['a latency of more than a day', { latency_ms: 86_400_001 }, false],
  ['a negative latency', { latency_ms: -1 }, false],
  ['no phases at all', { timings: null }, true],
  ['the status code 999', { status_code: 999 }, true],
  ['the status code 1000', { status_code: 1000 }, false],
  ['an unknown error code', { error: { code: 'other', message: '' } }, false],
  ['a message of 300 characters', { error: { code: 'timeout', message: 'x'.repeat(300) } }, true],
  ['a message of 301 characters', { error: { code: 'timeout', message: 'x'.repeat(301) } }, false],
  ['50 outcomes', { assertions: Array.from({ length: 50 }, (_, index) => ({ ...outcome, index })) }, true],
  ['51 outcomes', { assertions: Array.from({ length: 51 }, () => outcome) }, false],
  ['an undecided outcome', { assertions: [{ ...outcome, passed: null, skipped: 'few_samples' }] }, true],
  ['an outcome at index 50', { assertions: [{ ...outcome, index: 50 }] }, false],
  [
    'an expired certificate',
    { tls: { protocol: 'TLSv1.2', valid_to: '2020-01-01T00:00:00.000Z', days_left: -9 } },
    true,
  ],
];
for (const [what, changes, valid] of cases)
  test(`${what} is ${valid ? 'accepted' : 'refused'}`, t => {
    t.is(wireResultSchema.safeParse({ ...result, ...changes }).success, valid);
  });
