import { parentPort, workerData } from 'node:worker_threads';
import { errorCode } from '#shared/error-code.ts';
import { createLog } from '#shared/log.ts';
import { createPools } from '../../../platform/db/pool.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { previewPage } from './preview.ts';
import type { PreviewJob, PreviewReply } from './previewer.ts';
import type { PublisherThreadData } from './publisher.ts';

// The thread of `Previewer`.

const { connectionString, baseUrl, canMail, logLevel } = workerData as PublisherThreadData;
const pools = createPools(connectionString, createLog({ name: 'control-plane', level: logLevel }));
const reply = (message: PreviewReply) => parentPort?.postMessage(message);

parentPort?.on('message', async (request: 'stop' | PreviewJob) => {
  if (request === 'stop') {
    parentPort?.close();
    return pools.end();
  }
  reply({ begun: true });
  try {
    const { row, patch, level, nowMs } = request;
    const context = { baseUrl, canMail, nowMs, level };
    const html = await transaction(pools.reports, sql => previewPage(sql, row, patch, context), row.project_id);
    reply({ html });
  } catch (error) {
    reply({ failed: error instanceof Error ? error.message : String(error), code: errorCode(error) });
  }
});
