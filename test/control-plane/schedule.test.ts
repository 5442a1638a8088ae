import test from 'ava';
import { type GatewayTimerServices, gatewayTimers } from '#control-plane/schedule.ts';

test('votes are swept as of an instant that is read before anything is waited for', async t => {
  const order: string[] = [];
  const services = {
    pools: {},
    clock: { now: () => order.push('clock') },
    isBehind: async () => order.push('waiting results') > 0,
  } as unknown as GatewayTimerServices;
  const sweep = gatewayTimers(services).find(({ name }) => name === 'sweep');
  await sweep?.run(new AbortController().signal);
  t.deepEqual(order, ['clock', 'waiting results']);
});
