import { parentPort } from 'node:worker_threads';
import { errorCode } from '#shared/error-code.ts';
import { createLog } from '#shared/log.ts';
import { createPools, type Pools } from '../../../../platform/db/pool.ts';
import type { RenderThreadData, ThreadReply, ThreadRequest } from './render-thread.ts';

/** What a job works with. `begin` says what it begins with: its budget counts from then on. */
export type JobContext = RenderThreadData & { pools: Pools; begin(subject: string): void };

/** The thread's side of a RenderThread: answers its jobs until it is stopped, or rests until another owner asks. */
export function serveJobs<Job, Result>(work: (job: Job, context: JobContext) => Promise<Result>): void {
  let pools: Pools | null = null;
  const reply = (message: ThreadReply<Result>) => parentPort?.postMessage(message);
  const begin = (begun: string) => reply({ begun });
  const closePools = async () => {
    await pools?.end();
    pools = null;
  };
  parentPort?.on('message', async (request: ThreadRequest<Job>) => {
    if (request === 'stop') {
      parentPort?.close();
      return closePools();
    }
    if (request === 'rest') return closePools().then(() => reply('resting'));
    const { job, data } = request;
    try {
      pools ??= createPools(data.connectionString, createLog({ name: 'control-plane', level: data.logLevel }));
      reply({ result: await work(job, { ...data, pools, begin }) });
    } catch (error) {
      reply({ failed: error instanceof Error ? error.message : String(error), code: errorCode(error) });
    }
  });
}
