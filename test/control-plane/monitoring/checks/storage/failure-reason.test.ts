import test from 'ava';
import { failureReason } from '#control-plane/monitoring/checks/storage/failure-reason.ts';

const failed = (type: 'status' | 'header' | 'latency_p95', passed: boolean | null = false) => ({ type, passed });

test('a failed check has the code of its error, or the type of the assertion that failed first', t => {
  t.is(failureReason({ error: { code: 'timeout' }, assertions: [failed('status')] }), 'timeout');
  t.is(failureReason({ error: null, assertions: [failed('header', true), failed('status')] }), 'assertion:status');
  t.is(failureReason({ error: null, assertions: [failed('header', null)] }), 'assertion:unknown');
});

test('the percentile, which only warns, is the reason only where nothing else failed', t => {
  t.is(failureReason({ error: null, assertions: [failed('latency_p95'), failed('status')] }), 'assertion:status');
  t.is(failureReason({ error: null, assertions: [failed('latency_p95')] }), 'assertion:latency_p95');
});
