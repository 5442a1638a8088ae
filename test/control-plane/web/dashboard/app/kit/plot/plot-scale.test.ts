import test from 'ava';
import {
  describePlot,
  latencyRange,
  timeLabels,
  timeRange,
} from '#control-plane/web/dashboard/app/kit/plot/plot-scale.ts';

const second = (time: string) => Date.parse(time) / 1000;

test('the scale starts at zero, leaves a tenth above the highest value, and spans at least 10 ms', t => {
  const cases: [number | null, number][] = [
    [null, 10],
    [0, 10],
    [9, 10],
    [100, 110.00000000000001],
  ];
  for (const [max, end] of cases) t.deepEqual(latencyRange(max), [0, end]);
});

test('labels show the date first and on each new day, and seconds only where minutes would repeat', t => {
  const minutes = ['2026-11-20T22:00Z', '2026-11-20T23:00Z', '2026-11-21T00:00Z', '2026-11-21T01:00Z'].map(second);
  t.deepEqual(timeLabels(minutes), ['22:00\n11-20', '23:00', '00:00\n11-21', '01:00']);
  const seconds = ['2026-11-21T10:00:00Z', '2026-11-21T10:00:30Z'].map(second);
  t.deepEqual(timeLabels(seconds), ['10:00:00\n11-21', '10:00:30']);
  t.deepEqual(timeLabels([]), []);
});

test('a plot is described by the latest and highest value of each line', t => {
  const lines = [
    { label: 'eu', values: [12.4, 99.6, null, 40, null] },
    { label: 'us', values: [null, null] },
  ];
  t.is(describePlot({ times: [], lines, joined: true }), 'eu: latest 40 ms, highest 100 ms; us: no data');
});

test('the axis of time covers what is shown, whatever the times of the points', t => {
  t.deepEqual(timeRange({ covered: { from: 100, to: 400 } }, 150, 300), [100, 400]);
  t.deepEqual(timeRange({}, 150, 300), [150, 300]);
});
