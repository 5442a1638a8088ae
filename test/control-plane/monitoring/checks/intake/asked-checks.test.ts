import test from 'ava';
import { AskedChecks } from '#control-plane/monitoring/checks/intake/asked-checks.ts';
import { hourMs } from '#shared/duration.ts';

const check = {
  monitorId: 'mon_1',
  configVersion: 2,
  at: 500,
  exceptRegion: '',
  regions: ['a', 'b'],
  projectId: 'prj_1',
};

test('what was asked for is known by monitor, version, region and instant', t => {
  const asked = new AskedChecks();
  asked.remember([{ ...check, kind: 'scheduled' }], 1000);
  t.true(asked.includes('mon_1', 2, 'a', 500));
  t.true(asked.includes('mon_1', 2, 'b', 500));
  t.false(asked.includes('mon_2', 2, 'a', 500));
  t.false(asked.includes('mon_1', 1, 'a', 500));
  t.false(asked.includes('mon_1', 2, 'c', 500));
  t.false(asked.includes('mon_1', 2, 'a', 501));
});

test('a confirmation is not a check like those of the slots', t => {
  const asked = new AskedChecks();
  asked.remember([check], 1000);
  t.false(asked.includes('mon_1', 2, 'a', 500));
});

test('the oldest are forgotten after an hour, and when there are too many', t => {
  const asked = new AskedChecks();
  const at = (instant: number) => ({ ...check, at: instant, kind: 'scheduled' as const });
  asked.remember([at(1)], 0);
  asked.remember([at(2)], hourMs - 1);
  t.true(asked.includes('mon_1', 2, 'a', 1));
  asked.remember([at(3)], hourMs);
  t.deepEqual(
    [1, 2, 3].map(instant => asked.includes('mon_1', 2, 'a', instant)),
    [false, true, true],
  );
  asked.remember(
    Array.from({ length: 99_999 }, (_, index) => at(10 + index)),
    hourMs,
  );
  t.deepEqual(
    [2, 3, 10].map(instant => asked.includes('mon_1', 2, 'a', instant)),
    [false, true, true],
  );
});
