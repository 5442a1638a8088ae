import test from 'ava';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { type GatewayTimerServices, gatewayTimers } from '#control-plane/roles/schedule.ts';

test('votes are swept as of an instant that is read before anything is waited for', async t => {
  const order: string[] = [];
  const services = {
    pools: {},
    clock: { now: () => order.push('clock') },
    metrics: createMetrics(),
    waitingMs: () => 0,
    isBehind: async () => order.push('waiting results') > 0,
  } as unknown as GatewayTimerServices;
  const sweep = gatewayTimers(services).find(({ name }) => name === 'sweep');
  await sweep?.run(new AbortController().signal);
  t.deepEqual(order, ['clock', 'waiting results']);
});

test('no vote runs out whose result may wait in the queue of this process', async t => {
  const instants: unknown[] = [];
  const query = async ({ values = [] }: { values?: unknown[] }) => {
    instants.push(...values.filter(value => typeof value === 'string' && value.startsWith('2026')));
    return { rows: [], rowCount: 0 };
  };
  const pool = { connect: async () => ({ query, release() {} }), query };
  const services = {
    pools: { background: pool },
    clock: { now: () => Date.UTC(2026, 10, 20, 10, 0, 30) },
    metrics: createMetrics(),
    waitingMs: () => 7000,
    isBehind: async () => false,
  } as unknown as GatewayTimerServices;
  const sweep = gatewayTimers(services).find(({ name }) => name === 'sweep');
  await sweep?.run(new AbortController().signal);
  t.is(instants.toSorted().at(-1), '2026-11-20T10:00:23.000Z');
});
