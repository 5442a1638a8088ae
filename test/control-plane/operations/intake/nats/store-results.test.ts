import test from 'ava';
import type pg from 'pg';
import type { Broker } from '#control-plane/operations/intake/nats/broker.ts';
import { encodeResults } from '#control-plane/operations/intake/nats/message.ts';
import { storeResultsBy } from '#control-plane/operations/intake/nats/store-results.ts';
import { processTime } from '#control-plane/operations/intake/nats/time.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { systemClock } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { createLog } from '#shared/log.ts';
import { makeResult } from '#test/support/results.ts';

const unused = new Proxy({}, { get: () => () => Promise.reject(new Error('nothing is parked')) });

test('a result that waits for a lock for a minute is stored and becomes no dead letter', async t => {
  let tries = 0;
  const store = storeResultsBy(
    {
      pool: unused as pg.Pool,
      broker: unused as Broker,
      leases: unused as never,
      clock: systemClock,
      log: createLog({ name: 'test', level: 'silent' }),
      metrics: createMetrics(),
      time: { ...processTime, wait: async () => {} },
      recordBatch: async () => {
        tries += 1;
        if (tries < 20) throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
        return { refusals: [null], stored: 1 };
      },
    },
    'uq-results-0',
  );
  const sender = { agentId: 'agt_1', region: 'r', isPrivate: false };
  const reported = { ...sender, receivedAt: 0, result: { ...makeResult(), monitor_id: newId('mon'), seq: 1 } };
  const message = { seq: 1, at: 0, data: encodeResults([reported]) };
  await t.notThrowsAsync(store([message], async () => {}, new AbortController().signal));
  t.is(tries, 20);
});
