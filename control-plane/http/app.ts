import type { IncomingHttpHeaders } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import type { Clock } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import type { Logger } from '#shared/log.ts';
import { classifyFault } from '../db/errors.ts';
import type { Pools } from '../db/pool.ts';
import { sqlOf } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { allowPages, answerPreflight, corsPaths } from './cors.ts';
import { type Answer, allows, type Caller, type Endpoint } from './endpoint.ts';
import { findAnswer, type IdempotentRequest, idempotentRequest, keepAnswer } from './idempotency.ts';
import type { Metrics } from './metrics.ts';
import { addPages, type PageServices } from './pages.ts';
import { Problem, problemBody } from './problem.ts';
import { type Bucket, chargeRequest } from './rate-limit.ts';
import { type Body, cleanText, readBody } from './read-body.ts';
import { parseBody, parseParameters } from './validate.ts';

export type HttpServices = PageServices & {
  pools: Pools;
  keyring: Keyring;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  baseUrl: string;
  rateLimit: Bucket;
  /** Who sends a request with these headers; throws a 401 problem. */
  authenticate(headers: IncomingHttpHeaders): Promise<Caller>;
  /** What else is served without a token: each adds its own routes. */
  publicRoutes: readonly ((router: Router) => void)[];
};

/** The whole HTTP interface from its endpoints. */
export function createApp(endpoints: readonly Endpoint[], services: HttpServices): Koa {
  const app = new Koa();
  const router = new Router({ sensitive: true, strict: true });
  for (const endpoint of endpoints) {
    router.register(endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'), [endpoint.method], context =>
      serve(endpoint, context, services),
    );
  }
  addPages(router, endpoints, services);
  for (const add of services.publicRoutes) add(router);
  const forPages = corsPaths(endpoints);
  for (const path of forPages) router.options(path, answerPreflight);
  app.use(context => {
    if (forPages.has(pathOf(context))) allowPages(context);
    return observe(context, services, () => route(context, router));
  });
  app.on('error', error => services.log.error({ err: error }, 'request failed outside the handler'));
  return app;
}

async function serve(endpoint: Endpoint, context: Koa.Context, services: HttpServices): Promise<void> {
  const authorization = context.get('authorization') || undefined;
  if (endpoint.receive !== undefined) {
    const query = parseParameters(endpoint.query, readQuery(context));
    return send(context, await endpoint.receive({ request: context.req, path: context.path, query, authorization }));
  }
  const caller = await services.authenticate(context.headers);
  if (!allows(caller.scopes, endpoint.scope)) {
    throw new Problem('insufficient_scope', { detail: `this endpoint needs the scope ${endpoint.scope}` });
  }
  const body: Body =
    endpoint.method === 'get' ? { bytes: Buffer.alloc(0), json: undefined } : await readBody(context.req);
  const idempotent =
    endpoint.method === 'post'
      ? idempotentRequest(context.headers['idempotency-key'], endpoint.method, context.path, body.bytes)
      : null;
  if (idempotent === null) await charge(caller, services);
  send(context, await answer(endpoint, context, services, caller, body, idempotent));
}

async function answer(
  endpoint: Endpoint,
  context: Koa.Context,
  services: HttpServices,
  caller: Caller,
  body: Body,
  idempotent: IdempotentRequest | null,
): Promise<Answer> {
  const params = parsePath(endpoint, context);
  const query = parseParameters(endpoint.query, readQuery(context));
  const run = async (sql: ReturnType<typeof sqlOf>): Promise<Answer> => {
    const nowMs = services.clock.now();
    if (idempotent !== null) {
      const stored = await findAnswer(sql, services.keyring, caller, idempotent, nowMs);
      if (stored !== null) return stored;
      await charge(caller, services);
    }
    const further = endpoint.alsoCheck;
    const parsed =
      endpoint.body === null
        ? undefined
        : await parseBody(
            endpoint.body,
            body.json === undefined ? {} : body.json,
            further && (valid => further(valid, { params, caller, sql, nowMs })),
          );
    const result = await endpoint.handle({
      params,
      query,
      body: parsed,
      caller,
      sql,
      requestId: context.state.requestId as string,
      nowMs,
      accept: context.get('accept'),
    });
    if (idempotent !== null && result.status < 300)
      await keepAnswer(sql, services.keyring, caller, idempotent, result, nowMs);
    return result;
  };
  return transaction(services.pools[endpoint.pool ?? 'api'], run, caller.projectId);
}

function charge(caller: Caller, services: HttpServices): Promise<void> {
  return chargeRequest(sqlOf(services.pools.front), `token ${caller.tokenId}`, services.rateLimit);
}

/** An id in the path that has not the form of one names nothing. */
function parsePath(endpoint: Endpoint, context: Koa.Context): unknown {
  const { params } = context as Koa.Context & { params: Record<string, string> };
  const cleaned = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, cleanText(value)]));
  const parsed = endpoint.params.safeParse(cleaned);
  if (!parsed.success) throw new Problem('not_found');
  return parsed.data;
}

function readQuery(context: Koa.Context): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [given, value] of new URLSearchParams(context.querystring)) {
    const name = cleanText(given);
    if (Object.hasOwn(query, name)) {
      throw new Problem('invalid_parameter', {
        errors: [{ parameter: name, code: 'not_allowed', detail: 'is given twice' }],
      });
    }
    Object.defineProperty(query, name, { value: cleanText(value), enumerable: true });
  }
  return query;
}

function send(context: Koa.Context, result: Answer): void {
  context.status = result.status;
  for (const [name, value] of Object.entries(result.headers ?? {})) context.set(name, value);
  if (result.text !== undefined) {
    context.type = result.text.type;
    context.body = result.text.content;
    return;
  }
  if (result.body === undefined) return;
  context.type = 'application/json';
  context.body = JSON.stringify(result.body);
}

async function route(context: Koa.Context, router: Router): Promise<void> {
  await router.routes()(context as never, async () => {});
  const matched = (context as Koa.Context & { matched?: { methods: string[] }[] }).matched ?? [];
  if ((context as Koa.Context & { routerPath?: string; _matchedRoute?: unknown })._matchedRoute !== undefined) return;
  if (matched.length === 0) throw new Problem('not_found');
  const allow = [...new Set(matched.flatMap(layer => layer.methods))].join(', ');
  throw new Problem('method_not_allowed', { headers: { Allow: allow } });
}

/** Request id, access log, metrics, and every error as a problem. */
async function observe(context: Koa.Context, services: HttpServices, next: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const requestId = requestIdOf(context);
  const fault = requestFault(context);
  context.state.requestId = requestId;
  context.set('X-Request-Id', requestId);
  context.set('X-Content-Type-Options', 'nosniff');
  try {
    if (fault !== null) throw new Problem('invalid_parameter', { detail: fault });
    await next();
  } catch (error) {
    sendProblem(context, toProblem(error, services.log, requestId), services, requestId);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const routeName = (context as Koa.Context & { _matchedRoute?: string })._matchedRoute ?? 'none';
  services.metrics.requests.observe({ route: routeName, status: context.status }, seconds);
  services.log.info(
    {
      request_id: requestId,
      method: context.method,
      path: context.path,
      status: context.status,
      ms: Math.round(seconds * 1000),
    },
    'request',
  );
}

/** The caller's own when it can stand in a log line, so that both sides find the request. */
function requestIdOf(context: Koa.Context): string {
  const given = context.get('x-request-id');
  return /^[A-Za-z0-9_-]{8,128}$/.test(given) ? given : newId('req');
}

/** Koa throws for a target that is no path: `requestFault` tells the caller. */
function pathOf(context: Koa.Context): string {
  try {
    return context.path;
  } catch {
    return '';
  }
}

/** What Node lets through although it is no request, RFC 9112. A target that cannot be read is replaced, since Koa throws at each look. */
function requestFault(context: Koa.Context): string | null {
  const hosts = context.req.headersDistinct.host ?? [];
  if (hosts.length > 1 || (hosts.length === 0 && context.req.httpVersion === '1.1')) return 'one Host header is needed';
  try {
    return context.path === null ? 'the request target has no path' : null;
  } catch {
    context.url = '/';
    return 'the request target is not valid';
  }
}

function toProblem(error: unknown, log: Logger, requestId: string): Problem {
  if (error instanceof Problem) return error;
  const fault = classifyFault(error);
  // What only the database refuses is our own omission, and the same request would be refused again.
  if (fault === 'other' || fault === 'data') {
    log.error({ err: error, request_id: requestId }, 'request failed');
    return new Problem('internal_error');
  }
  log.warn({ code: (error as { code?: string }).code, request_id: requestId }, 'database not available');
  return new Problem('unavailable', { retryAfter: 1 });
}

function sendProblem(context: Koa.Context, problem: Problem, services: HttpServices, requestId: string): void {
  context.status = problem.status;
  if (problem.status === 401) context.set('WWW-Authenticate', 'Bearer');
  if (problem.details.retryAfter !== undefined) context.set('Retry-After', String(problem.details.retryAfter));
  for (const [name, value] of Object.entries(problem.details.headers ?? {})) context.set(name, value);
  const onlyJson = context.get('accept').trim().toLowerCase() === 'application/json';
  context.body = JSON.stringify(problemBody(problem, { baseUrl: services.baseUrl, path: context.path, requestId }));
  context.set('Content-Type', onlyJson ? 'application/json' : 'application/problem+json');
}
