import { parentPort } from 'node:worker_threads';
import { type Json, selectValues } from '#shared/assertions/json-path.ts';

/** More selected values than this are no answer anybody reads, and cost the agent to take over. */
const nodesMax = 100_000;

parentPort?.on('message', ({ path, document }: { path: string; document: Json }) => {
  try {
    const nodes = selectValues(path, document);
    parentPort?.postMessage(nodes.length > nodesMax ? { failed: true } : { nodes });
  } catch {
    parentPort?.postMessage({ failed: true });
  }
});
parentPort?.postMessage('ready');
