import { parentPort } from 'node:worker_threads';
import { type Json, selectValues } from '#shared/assertions/json-path.ts';

/** A larger result is of no use to anybody, and copying it would cost the agent too much. */
const nodesMax = 100_000;

/** The queries of one check come one after the other, for one document. */
let last: { text: string; value: Json } | null = null;

parentPort?.on('message', ({ path, text }: { path: string; text: string }) => {
  try {
    const nodes = selectValues(path, read(text));
    parentPort?.postMessage(nodes.length > nodesMax ? { failed: true } : { nodes });
  } catch {
    parentPort?.postMessage({ failed: true });
  }
});
parentPort?.postMessage('ready');

function read(text: string): Json {
  if (last?.text === text) return last.value;
  // Two large documents at once would not fit.
  last = null;
  last = { text, value: JSON.parse(text) as Json };
  return last.value;
}
