import test from 'ava';
import { describeTested } from '#control-plane/web/dashboard/app/features/monitors/editor/tested.ts';
import type { TestedRegion } from '#control-plane/web/dashboard/app/session/api-types.ts';

type Result = NonNullable<TestedRegion['result']>;
const result = { status: 'ok', status_code: 200, latency_ms: 84.4, error: null, assertions: [] } as unknown as Result;
const assertion = { index: 0, type: 'status', passed: false, expected: 'status eq 200', actual: '503' } as const;

test('a test is described by what came of it', t => {
  const say = (changes: Partial<Result>) => describeTested({ result: { ...result, ...changes }, problem: null });
  t.is(say({}), 'status 200 in 84 ms');
  t.is(say({ status_code: null, latency_ms: null }), 'it worked');
  t.is(
    say({ error: { code: 'timeout', message: 'no answer within 10 s', phase: null, host: null } }),
    'no answer within 10 s',
  );
  t.is(
    say({ assertions: [assertion, { ...assertion, actual: null }] as unknown as Result['assertions'] }),
    ['expected status eq 200, got 503', 'expected status eq 200, got nothing'].join('; '),
  );
  t.is(describeTested({ result: null, problem: 'no_agent' }), 'no agent is online there');
  t.is(describeTested({ result: null, problem: null }), 'no result');
});
