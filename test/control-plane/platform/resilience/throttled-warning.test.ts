import test from 'ava';
import { warnThrottled } from '#control-plane/platform/resilience/throttled-warning.ts';

test('the first failure is logged, then one a minute with the number of those suppressed', t => {
  const lines: [object, string | undefined][] = [];
  let now = 5;
  const log = { warn: (fields: object, text?: string) => void lines.push([fields, text]) };
  const warn = warnThrottled(log, 'it failed', { timer: 'sweep' }, () => now);
  const error = new Error('a fault of ours');
  for (const at of [5, 6, 60_004, 60_005, 60_006, 200_000]) {
    now = at;
    warn(error);
  }
  t.deepEqual(lines, [
    [{ timer: 'sweep', err: error }, 'it failed'],
    [{ timer: 'sweep', err: error, suppressed: 2 }, 'it failed'],
    [{ timer: 'sweep', err: error, suppressed: 1 }, 'it failed'],
  ]);
});

test('connection loss is logged by its code, without a stack', t => {
  const lines: object[] = [];
  const warn = warnThrottled({ warn: (fields: object) => void lines.push(fields) }, 'it failed', {});
  warn(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  t.deepEqual(lines, [{ code: 'ECONNREFUSED' }]);
});
