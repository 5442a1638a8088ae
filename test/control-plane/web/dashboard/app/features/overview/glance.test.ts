import test from 'ava';
import { glanceOf } from '#control-plane/web/dashboard/app/features/overview/glance.ts';
import type { Monitor } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { sampleMonitor } from '../../samples.ts';

function monitor(name: string, p95_ms: number, uptime_30d: number, hourly_error_rate: number[] = []): Monitor {
  const summary = { p95_ms, uptime_30d, hourly_latency_ms: [], hourly_error_rate };
  return sampleMonitor({ id: name, name, summary });
}

test('those with failures stand first, then the slowest; paused ones count for nothing', t => {
  const slow = monitor('slow', 400, 1);
  const failing = monitor('failing', 20, 0.9, [0, 0.1]);
  const fine = monitor('fine', 100, 1);
  const paused = { ...monitor('paused', 9000, 0), status: 'paused' as const };
  const glance = glanceOf([fine, paused, slow, failing]);
  t.deepEqual(
    glance.monitors.map(({ name }) => name),
    ['failing', 'slow', 'fine'],
  );
  t.true(Math.abs((glance.uptime ?? 0) - 2.9 / 3) < 1e-9);
  t.is(glance.p95Ms, 100);
});

test('what was not measured has no figure', t => {
  t.like(glanceOf([]), { uptime: null, p95Ms: null });
  t.like(glanceOf([sampleMonitor()]), { uptime: null, p95Ms: null });
});
