import test from 'ava';
import { formatMs } from '#control-plane/web/dashboard/app/kit/milliseconds.ts';

for (const [ms, text] of [
  [null, '–'],
  [0, '0 ms'],
  [0.2, '< 1 ms'],
  [1, '1 ms'],
  [83.6, '84 ms'],
] as const)
  test(`${ms} milliseconds read “${text}”`, t => t.is(formatMs(ms), text));
