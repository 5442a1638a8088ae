import test from 'ava';
import { describeDrivers, publishedBy } from '#control-plane/web/dashboard/app/features/status-pages/words.ts';
import { sampleComponent } from '../../samples.ts';

test('a component counts the monitors that are listed and those that its selector matches once each', t => {
  const drivers = { monitor_ids: ['a', 'b'], matched_monitor_ids: ['b', 'c'], matched_truncated: false };
  t.is(describeDrivers(drivers), 'driven by 3 monitors');
  t.is(describeDrivers({ ...drivers, matched_truncated: true }), 'driven by more than 3 monitors');
  t.is(describeDrivers({ ...drivers, monitor_ids: [], matched_monitor_ids: [] }), 'no monitors');
});

test('a monitor is published where a component names it, or matches it by its selector', t => {
  const components = [
    sampleComponent({ id: 'c1', position: 2, monitor_ids: ['m'] }),
    sampleComponent({ id: 'c2', position: 1, matched_monitor_ids: ['m'], monitor_selector: 'env=prod' }),
    sampleComponent({ id: 'c3' }),
  ];
  t.deepEqual(
    publishedBy('m', components, []).map(({ component, reason }) => [component.id, reason]),
    [
      ['c2', 'matches env=prod'],
      ['c1', 'chosen'],
    ],
  );
});
