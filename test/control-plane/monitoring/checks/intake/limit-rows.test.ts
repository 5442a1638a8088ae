import test from 'ava';
import { excessOf } from '#control-plane/monitoring/checks/intake/limit-rows.ts';
import type { Accepted } from '#control-plane/monitoring/checks/intake/prepare.ts';
import { hourMs } from '#shared/duration.ts';
import { makeNewResult, makeVersion } from '#test/support/monitor-state.ts';

const confirmation = (at: number, region = 'a'): Accepted => ({
  result: makeNewResult(at, { kind: 'confirm', region }),
  version: makeVersion(),
  index: 0,
  isPrivate: true,
});
const many = (count: number, region = 'a') => Array.from({ length: count }, (_, index) => confirmation(index, region));

test('an hour of a monitor in a region has room for 1,440 rows', t => {
  const counted = many(1500);
  t.deepEqual([...excessOf(counted, new Map())], counted.slice(1440));
});

test('what is stored takes its room, in its own hour and region only', t => {
  const counted = [...many(20), ...many(20, 'b'), confirmation(hourMs)];
  const excess = excessOf(counted, new Map([['mon_1 a 0', 1435]]));
  t.deepEqual([...excess], counted.slice(5, 20));
});
