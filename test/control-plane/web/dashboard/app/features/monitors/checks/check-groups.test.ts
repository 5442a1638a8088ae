import test from 'ava';
import { foldChecks } from '#control-plane/web/dashboard/app/features/monitors/checks/check-groups.ts';
import { sampleCheck } from '../../../samples.ts';

test('equal results of a region in a row fold into one; another outcome starts a new one', t => {
  const result = (id: string, region: string, status_code: number) => sampleCheck({ id, region, status_code });
  const list = [result('5', 'eu', 200), result('4', 'us', 200), result('3', 'eu', 200), result('2', 'eu', 503)];
  const groups = foldChecks([...list, result('1', 'eu', 200)]);
  t.deepEqual(
    groups.map(({ newest, oldest, count }) => [newest.id, oldest.id, count]),
    [
      ['5', '3', 2],
      ['4', '4', 1],
      ['2', '2', 1],
      ['1', '1', 1],
    ],
  );
});
