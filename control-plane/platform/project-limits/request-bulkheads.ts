import { Bulkhead } from '#shared/fairness/bulkhead.ts';
import { Problem } from '../http/problem.ts';

/** What one project may use of each pool at once: connections, and answers that are computed or not yet sent. */
type PoolBulkheads = { answers: Bulkhead; connections: Bulkhead };
export type RequestBulkheads = { api: PoolBulkheads; reports: PoolBulkheads; people: PoolBulkheads };

const retryAfterSeconds = 1;

/**
 * Those of one process. An answer's turn comes first and lasts until the client has read it; the connection is taken
 * within it and given back before the answer is sent, so that neither waits for the other in a circle. The pool `api`
 * has 10 connections, `reports` and `people` have 3.
 */
export function createRequestBulkheads(): RequestBulkheads {
  return {
    api: {
      answers: new Bulkhead({ concurrency: 8, queuedMax: 100, waitMaxMs: 10_000, refusal }),
      connections: new Bulkhead({ concurrency: 4, queuedMax: 8, waitMaxMs: 10_000, refusal }),
    },
    reports: {
      answers: new Bulkhead({ concurrency: 4, queuedMax: 16, waitMaxMs: 60_000, refusal }),
      connections: new Bulkhead({ concurrency: 1, queuedMax: 4, waitMaxMs: 60_000, refusal }),
    },
    people: {
      answers: new Bulkhead({ concurrency: 4, queuedMax: 32, waitMaxMs: 10_000, refusal }),
      connections: new Bulkhead({ concurrency: 1, queuedMax: 8, waitMaxMs: 10_000, refusal }),
    },
  };
}

/** What is refused because too many of the project run or wait, or because nobody waits for the answer any more. */
function refusal(reason: 'full' | 'aborted'): Problem {
  if (reason === 'aborted') return new Problem('request_timeout');
  const detail = 'too many requests of the project are running or waiting; send fewer at once';
  return new Problem('unavailable', { retryAfter: retryAfterSeconds, detail });
}
