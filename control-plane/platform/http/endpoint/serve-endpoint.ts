import type { ServerResponse } from 'node:http';
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { Change } from '../../audit/entry.ts';
import { type Sql, sqlOf } from '../../db/sql.ts';
import { transactionByItem } from '../../failures/by-item.ts';
import { type BodyBudget, reserveBodyFor } from '../bodies/body-budget.ts';
import { controlCharacterErrors } from '../bodies/control-characters.ts';
import { parseBody } from '../bodies/parse-body.ts';
import { type Body, cleanText, readBody } from '../bodies/read-body.ts';
import { parseParameters } from '../bodies/validate.ts';
import { type Allowance, chargeCaller, chargeReplay, refundReplay } from '../limits/rate-limit.ts';
import type { RequestState } from '../middleware/request-id.ts';
import { Problem } from '../problem.ts';
import { answerInSteps, type Prepared } from './answer-in-steps.ts';
import type { Caller, Sender } from './caller.ts';
import type { Answer, CheckedEndpoint, CheckRequest, Endpoint, IdempotentRequest, RawEndpoint } from './endpoint.ts';
import type { EndpointServices } from './endpoint-services.ts';
import {
  findAnswer,
  hasAnswer,
  idempotentRequest,
  isReplay,
  rememberKey,
  reserveAnswer,
  saveAnswer,
} from './idempotency.ts';
import { readIfMatch } from './if-match.ts';
import { originOf, requireDeclared } from './recording.ts';
import { requireAllowed } from './require-allowed.ts';
import { noTransaction, send, sendStream } from './send-answer.ts';

type Run = {
  context: RouterContext<RequestState>;
  caller: Caller;
  body: Body;
  idempotent: IdempotentRequest | null;
  /** The refusal of the rate limit, which only a replay passes. */
  refusal: Problem | null;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
};

/** The Koa handler of one endpoint: authentication, scope, body, rate limit, idempotency, validation, transaction. */
export function serveEndpoint(endpoint: Endpoint, services: EndpointServices) {
  return async (context: RouterContext<RequestState>): Promise<void> => {
    if (endpoint.kind === 'raw') return serveRaw(endpoint, context);
    const caller = await services.authenticate(context.headers, endpoint.anywhere === true ? 'anywhere' : 'project');
    context.state.sender = caller;
    requireAllowed(endpoint, caller, services.clock.now());
    const key = endpoint.method === 'post' ? context.headers['idempotency-key'] : undefined;
    // Before the body is read: what is refused must cost little.
    const refusal = await charge(context, caller, services);
    const sql = sqlOf(services.pools.front);
    const mayReplay = async () => (await hasAnswer(sql, caller, key)) && chargeReplay(sql, caller, services.rateLimit);
    if (refusal !== null && !(await mayReplay())) throw refusal;
    const body = endpoint.method === 'get' ? noBody : await readReserved(endpoint, context, caller, services.bodies);
    const path = `${context.path}${context.search}`;
    const idempotent = idempotentRequest(services.keyring, key, endpoint.method, path, body.bytes);
    // The answer to a known key depends on the bytes alone: those of its requests are never parsed.
    if (idempotent === null) body.parse();
    const signal = closingOf(context.res);
    const leave = await services.bulkheads[endpoint.pool ?? 'api'].answers.enter(caller.projectId, signal);
    // Its turn lasts until the client has read the answer, or is gone.
    context.res.once('close', leave);
    if (context.res.closed) leave();
    const result = await answer(endpoint, services, { context, caller, body, idempotent, refusal, signal });
    if (isReplay(result) && refusal === null) await refundReplay(sql, caller, services.rateLimit);
    if (result.stream === undefined) return send(context, result);
    send(context, { ...result, body: undefined });
    sendStream(context, result.stream, work => transactFor(endpoint, services, caller, signal, work));
  };
}

async function serveRaw(endpoint: RawEndpoint, context: RouterContext<RequestState>): Promise<void> {
  const query = parseParameters(endpoint.query, readQuery(context));
  const authorization = context.get('authorization') || undefined;
  const identified = (sender: Sender) => {
    context.state.sender = sender;
  };
  const { req: request, path } = context;
  const answered = await endpoint.handle({ request, path, query, authorization, identified });
  send(context, answered);
  if (answered.stream !== undefined) sendStream(context, answered.stream, noTransaction);
}

/** What is read of the body counts against the project's share until the request is answered. */
function readReserved(
  { bodyLimits }: CheckedEndpoint,
  { req, res }: Context,
  { projectId }: Caller,
  bodies: BodyBudget,
): Promise<Body> {
  const reserved = reserveBodyFor(res, bodies, { caller: projectId, owner: projectId });
  return readBody(req, bodyLimits?.bytes ?? bodies.bodyBytesMax, reserved.take, bodyLimits);
}

function closingOf(response: ServerResponse): AbortSignal {
  const closing = new AbortController();
  if (response.closed) closing.abort();
  response.once('close', () => closing.abort());
  return closing.signal;
}

const noBody: Body = { bytes: Buffer.alloc(0), parse: () => ({ sent: undefined, json: undefined }) };

async function answer(declared: CheckedEndpoint, services: EndpointServices, run: Run): Promise<Answer> {
  const { context, caller, idempotent, refusal, signal } = run;
  const params = parsePath(declared, context);
  const query = parseParameters(declared.query, readQuery(context));
  const endpoint = asAsked(declared, query);
  const expectedUpdate = endpoint.ifMatch === true ? readIfMatch(context.headers['if-match']) : null;
  const { keyring, clock } = services;
  const { requestId } = context.state;
  const origin = originOf(endpoint, caller, requestId);
  const front = sqlOf(services.pools.front);
  const prepare = async (sql: Sql, nowMs: number): Promise<Prepared> => {
    if (idempotent !== null) {
      const stored = await findAnswer(sql, keyring, caller, idempotent, nowMs);
      if (stored !== null) return { stored };
    }
    if (refusal !== null) throw refusal;
    const body = await validBody(endpoint, run.body, { params, caller, sql, nowMs, expectedUpdate });
    const keyOnly = endpoint.changesNothing?.({ query, body }) ?? false;
    if (idempotent !== null && !keyOnly) await reserveAnswer(front, caller, nowMs);
    return { body, keyOnly };
  };
  const remember = async (answered: Answer): Promise<Answer> => {
    if (idempotent !== null && answered.keyOnly === true && answered.status < 300)
      await rememberKey(front, caller, idempotent, clock.now());
    return answered;
  };
  if (endpoint.kind === 'steps') {
    const steps = { endpoint, caller, params, query, requestId, accept: context.get('accept'), idempotent };
    const onCharged = (allowance: Allowance) => showAllowance(context, allowance);
    return remember(await answerInSteps(services, { ...steps, prepare: sql => prepare(sql, clock.now()), onCharged }));
  }
  const inTransaction = async (sql: Sql): Promise<Answer> => {
    const nowMs = clock.now();
    const prepared = await prepare(sql, nowMs);
    if ('stored' in prepared) return prepared.stored;
    const { body, keyOnly } = prepared;
    const common = { params, caller, sql, nowMs, expectedUpdate };
    const record = (change: Change): Promise<boolean> => {
      requireDeclared(endpoint, change);
      return services.recordChange(sql, origin, change, nowMs);
    };
    const result = await endpoint.handle({ ...common, query, body, requestId, accept: context.get('accept'), record });
    if (keyOnly) return { ...result, keyOnly };
    if (idempotent !== null && result.status < 300)
      await saveAnswer(sql, { keyring, front }, caller, idempotent, result, nowMs);
    return result;
  };
  return remember(await transactFor(endpoint, services, caller, signal, inTransaction));
}

/** A request that is only tried works in steps, and changes nothing. */
function asAsked(endpoint: CheckedEndpoint, query: unknown): CheckedEndpoint {
  if (endpoint.kind === 'steps' || endpoint.dryRun?.isAsked(query) !== true) return endpoint;
  const { dryRun, ...declared } = endpoint;
  return { ...declared, kind: 'steps', pool: dryRun.pool, changesNothing: () => true, handle: dryRun.handle };
}

/**
 * Runs a transaction on one of the caller's connections. A monitor whose alerts cannot be evaluated can be changed and
 * deleted all the same.
 */
function transactFor<Result>(
  endpoint: CheckedEndpoint,
  { bulkheads, pools }: EndpointServices,
  { projectId }: Caller,
  signal: AbortSignal,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const pool = endpoint.pool ?? 'api';
  const options = { project: projectId };
  return bulkheads[pool].connections.run(projectId, () => transactionByItem(pools[pool], work, options), signal);
}

async function validBody(
  { body: schema, check, cleansText }: CheckedEndpoint,
  body: Body,
  request: CheckRequest<unknown>,
): Promise<unknown> {
  const { sent, json = {} } = body.parse();
  if (schema === null) return undefined;
  const unclean = cleansText === true ? [] : controlCharacterErrors(sent);
  return parseBody(schema, json, async fields => [
    ...unclean,
    ...((await check?.(fields, { ...request, sent: json })) ?? []),
  ]);
}

function showAllowance(context: Context, { remaining, fullAfterSeconds }: Allowance): void {
  context.set('RateLimit', `"requests";r=${remaining};t=${fullAfterSeconds}`);
}

/** The refusal of the rate limit, or null. */
async function charge(context: Context, caller: Caller, services: EndpointServices): Promise<Problem | null> {
  const { perMinute } = services.rateLimit;
  context.set('RateLimit-Policy', `"requests";q=${perMinute};w=60`);
  try {
    showAllowance(context, await chargeCaller(sqlOf(services.pools.front), caller, services.rateLimit));
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    context.set('RateLimit', `"requests";r=0;t=${error.details.retryAfter ?? 1}`);
    return error;
  }
}

/** A malformed id in the path names nothing: 404, not 400. */
function parsePath(endpoint: Endpoint, { params }: RouterContext<RequestState>): unknown {
  const cleaned = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, cleanText(value)]));
  const parsed = endpoint.params.safeParse(cleaned);
  if (!parsed.success) throw new Problem('not_found');
  return parsed.data;
}

function readQuery(context: Context): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [given, value] of new URLSearchParams(context.querystring)) {
    const name = cleanText(given);
    if (Object.hasOwn(query, name)) {
      throw new Problem('invalid_parameter', {
        errors: [{ parameter: name, code: 'not_allowed', detail: 'is given more than once' }],
      });
    }
    Object.defineProperty(query, name, { value: cleanText(value), enumerable: true });
  }
  return query;
}
