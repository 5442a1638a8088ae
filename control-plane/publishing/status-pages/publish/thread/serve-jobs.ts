import { parentPort, workerData } from 'node:worker_threads';
import { errorCode } from '#shared/error-code.ts';
import { createLog } from '#shared/log.ts';
import { createPools, type Pools } from '../../../../platform/db/pool.ts';
import type { RenderThreadData, ThreadReply } from './render-thread.ts';

/** What a job works with. `begin` says what it begins with: its budget counts from then on. */
export type JobContext = RenderThreadData & { pools: Pools; begin(subject: string): void };

/** The thread's side of a RenderThread: answers its jobs until it is stopped. */
export function serveJobs<Job, Result>(work: (job: Job, context: JobContext) => Promise<Result>): void {
  const data = workerData as RenderThreadData;
  const pools = createPools(data.connectionString, createLog({ name: 'control-plane', level: data.logLevel }));
  const reply = (message: ThreadReply<Result>) => parentPort?.postMessage(message);
  parentPort?.on('message', async (job: 'stop' | Job) => {
    if (job === 'stop') {
      parentPort?.close();
      return pools.end();
    }
    try {
      reply({ result: await work(job, { ...data, pools, begin: begun => reply({ begun }) }) });
    } catch (error) {
      reply({ failed: error instanceof Error ? error.message : String(error), code: errorCode(error) });
    }
  });
}
