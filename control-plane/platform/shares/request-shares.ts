import { FairShare } from './fair-share.ts';

/** What one project may use of each pool at once: connections, and answers that are computed or not yet sent. */
export type PoolShares = { answers: FairShare; connections: FairShare };
export type RequestShares = { api: PoolShares; reports: PoolShares };

/**
 * The shares of one process. An answer's place is taken first and kept until the client has read it; the connection is
 * taken within it and given back before the answer is sent, so that neither waits for the other in a circle. The pool
 * `api` has 10 connections, `reports` has 3.
 */
export function createRequestShares(): RequestShares {
  return {
    api: {
      answers: new FairShare({ atOnce: 8, waiting: 100, waitMs: 10_000 }),
      connections: new FairShare({ atOnce: 4, waiting: 8, waitMs: 10_000 }),
    },
    reports: {
      answers: new FairShare({ atOnce: 4, waiting: 16, waitMs: 60_000 }),
      connections: new FairShare({ atOnce: 1, waiting: 4, waitMs: 60_000 }),
    },
  };
}
