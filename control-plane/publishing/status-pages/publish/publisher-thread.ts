import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '#shared/log.ts';
import { createPools } from '../../../platform/db/pool.ts';
import { publishDue } from './publish.ts';
import type { PublisherReply, PublisherThreadData } from './publisher.ts';

// The thread of `Publisher`.

const { connectionString, baseUrl, canMail, logLevel } = workerData as PublisherThreadData;
const pools = createPools(connectionString, createLog({ name: 'control-plane', level: logLevel }));
const reply = (message: PublisherReply) => parentPort?.postMessage(message);

parentPort?.on('message', async (request: 'stop' | { nowMs: number }) => {
  if (request === 'stop') {
    parentPort?.close();
    return pools.end();
  }
  try {
    const { nowMs } = request;
    reply({ outcome: await publishDue(pools.background, { baseUrl, canMail, nowMs }, claimed => reply({ claimed })) });
  } catch (error) {
    reply({ failed: error instanceof Error ? error.message : String(error) });
  }
});
