import test from 'ava';
import { describeHours, hourPaths, hoursOf } from '#control-plane/web/dashboard/app/kit/plot/hours.ts';

const hours = hoursOf({ hourly_latency_ms: [100, 50, null, null], hourly_error_rate: [0, 0.25, 1, null] });

test('an hour without checks is not up, and one in which half of them failed is down', t => {
  t.deepEqual(hours, [
    { level: 'up', latencyMs: 100 },
    { level: 'partial', latencyMs: 50 },
    { level: 'down', latencyMs: null },
    { level: 'none', latencyMs: null },
  ]);
  t.deepEqual(hoursOf({ hourly_latency_ms: [1], hourly_error_rate: [0.5] })[0]?.level, 'down');
});

test('a replica of the version before, which knows no error rates, has no bars', t => {
  t.deepEqual(hoursOf({ hourly_latency_ms: [1, 2] } as never), []);
});

test('hours are summed up for screen readers', t => {
  t.is(describeHours(hours), '4 hours: checks failed in 2 hours, 1 hour without checks');
  t.is(describeHours(hours.slice(0, 1)), '1 hour: no check failed');
});

test('bars are as high as the latency, and reach the top only where checks failed', t => {
  const paths = new Map(hourPaths(hours, 24).map(({ level, path }) => [level, path]));
  t.is(paths.get('up'), 'M0 24v-18h3v18z');
  t.is(paths.get('partial'), 'M4 24v-24h3v24z');
  t.is(paths.get('down'), 'M8 24v-24h3v24z');
  t.is(paths.get('none'), 'M12 24v-3h3v3z');
  t.deepEqual(hourPaths([], 24), []);
});
