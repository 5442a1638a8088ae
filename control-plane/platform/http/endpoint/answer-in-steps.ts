import { type Sql, sqlOf } from '../../db/sql.ts';
import { transactionByItem } from '../../failures/by-item.ts';
import { type Allowance, chargeCaller } from '../limits/rate-limit.ts';
import { problemOf } from '../middleware/catch-problems.ts';
import { problemBody } from '../problem.ts';
import type { Caller } from './caller.ts';
import type { Answer, IdempotentRequest, StepEndpoint, StepOptions, StepRequest } from './endpoint.ts';
import type { EndpointServices } from './endpoint-services.ts';
import { findAnswer, saveAnswer } from './idempotency.ts';
import { originOf, requireDeclared } from './recording.ts';

export type Steps = {
  endpoint: StepEndpoint;
  caller: Caller;
  params: unknown;
  query: unknown;
  requestId: string;
  accept: string;
  idempotent: IdempotentRequest | null;
  prepare(sql: Sql): Promise<Prepared>;
  /** Called with what a further charge leaves. */
  onCharged(allowance: Allowance): void;
};

/** The stored answer, or the valid body of a request; `keyOnly` says that it changes nothing. */
export type Prepared = { stored: Answer } | { body: unknown; keyOnly: boolean };

/**
 * Answers a request that commits step by step. One of its project's connections of the endpoint's pool is its own from
 * beginning to end, also when the client is gone: what was begun is finished.
 */
export function answerInSteps(services: EndpointServices, steps: Steps): Promise<Answer> {
  const { pools, clock, keyring, rateLimit, bulkheads, baseUrl } = services;
  const { endpoint, caller, params, query, requestId, accept, idempotent } = steps;
  const { pool: ownPool = 'api' } = endpoint;
  const transact = <Result>(work: (sql: Sql) => Promise<Result>, { pool, undo = false }: StepOptions = {}) => {
    const run = () => transactionByItem(pools[pool ?? ownPool], work, { project: caller.projectId, undo });
    // Who has a connection of `api` waits for none of `reports`, so nobody waits in a circle.
    return pool === undefined || pool === ownPool ? run() : bulkheads[pool].connections.run(caller.projectId, run);
  };
  const front = sqlOf(pools.front);
  const origin = originOf(endpoint, caller, requestId);
  const request: Omit<StepRequest<unknown, unknown, unknown>, 'body'> = {
    params,
    query,
    caller,
    requestId,
    accept,
    idempotent,
    transact,
    now: () => clock.now(),
    charge: async cost => {
      // A limit may be set so low that a large call would never pass.
      const payable = Math.min(cost, rateLimit.burst);
      if (payable > 0) steps.onCharged(await chargeCaller(front, caller, rateLimit, payable));
    },
    findStored: async sql => (idempotent === null ? null : findAnswer(sql, keyring, caller, idempotent, clock.now())),
    save: async (sql, answer) => {
      if (idempotent !== null) await saveAnswer(sql, { keyring, front }, caller, idempotent, answer, clock.now());
    },
    record: (sql, change, nowMs, planId) => {
      requireDeclared(endpoint, change);
      return services.recordChange(sql, planId === undefined ? origin : { ...origin, planId }, change, nowMs);
    },
    describe: (error, path) => {
      const problem = problemOf(error);
      return problem === null ? null : problemBody(problem, { baseUrl, path, requestId });
    },
  };
  const everything = async (): Promise<Answer> => {
    // What may lock occupies no connection for long reads.
    const prepared = await transact(steps.prepare, endpoint.method === 'get' ? {} : { pool: 'api' });
    if ('stored' in prepared) return prepared.stored;
    const { body, keyOnly } = prepared;
    return { ...(await endpoint.handle({ ...request, body })), keyOnly };
  };
  return bulkheads[ownPool].connections.run(caller.projectId, everything);
}
