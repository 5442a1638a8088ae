import test from 'ava';
import { failureReason } from '#control-plane/monitoring/checks/storage/failure-reason.ts';

type FailedType = 'status' | 'header' | 'latency_p95';
const failed = (type: FailedType, passed: boolean | null = false, index = 0) => ({ type, passed, index });

test('a failed check has the code of its error, or the type of the assertion that failed first', t => {
  t.is(failureReason({ error: { code: 'timeout' }, assertions: [failed('status')] }), 'timeout');
  t.is(failureReason({ error: null, assertions: [failed('header', true), failed('status')] }), 'assertion:status');
  t.is(failureReason({ error: null, assertions: [failed('header', null)] }), 'assertion:unknown');
});

test('the percentile, which only warns, is the reason only where nothing else failed', t => {
  t.is(failureReason({ error: null, assertions: [failed('latency_p95'), failed('status')] }), 'assertion:status');
  t.is(failureReason({ error: null, assertions: [failed('latency_p95')] }), 'assertion:latency_p95');
});

test('an assertion that only warns is the reason only where nothing else failed', t => {
  const assertions = [failed('header', false, 0), failed('status', false, 1)];
  t.is(failureReason({ error: null, assertions, warnOn: [0] }), 'assertion:status');
  t.is(failureReason({ error: null, assertions, warnOn: [0, 1] }), 'assertion:header');
  t.is(failureReason({ error: null, assertions, warnOn: [] }), 'assertion:header');
});
