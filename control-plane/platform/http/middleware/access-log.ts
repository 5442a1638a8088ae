import type { Middleware } from 'koa';
import type { Logger } from '#shared/log.ts';
import type { Metrics } from '../metrics.ts';
import type { RequestState } from './request-id.ts';

/** Node takes some thirty methods; a caller must not make a series of each. */
const countedMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Logs each request once it is answered, and counts its duration by route, method and status. */
export function logRequests({ log, metrics }: { log: Logger; metrics: Metrics }): Middleware<RequestState> {
  return async (context, next) => {
    const startedAt = performance.now();
    await next();
    const seconds = (performance.now() - startedAt) / 1000;
    // The router sets the path's pattern; raw paths would make a metric of every id.
    const route: unknown = context.routerPath;
    const { method, status } = context;
    const labels = {
      route: typeof route === 'string' ? route : 'none',
      method: countedMethods.has(method) ? method : 'other',
      status,
    };
    metrics.requests.observe(labels, seconds);
    const path = maskedPath(context.path);
    const ms = Math.round(seconds * 1000);
    const { requestId, problem, sender } = context.state;
    const { actor } = sender ?? {};
    const by = { [`${actor?.type ?? 'token'}_id`]: actor?.id, ...(actor?.token && { token_id: actor.token.id }) };
    const of = { project_id: sender?.projectId, ...by };
    log.info({ request_id: requestId, method, path, status, problem, ms, ...of }, 'request');
  };
}

/**
 * A link in a message and the address of a heartbeat are secrets as a token is, and who uses a customer's site is for
 * the customer alone.
 */
function maskedPath(path: string): string {
  return path
    .replace(/^(\/+(?:hb|ping|api\/push))\/.*/is, '$1/…')
    .replace(/^\/+[0-9a-f]{8}-[0-9a-f-]{27}(?:\/.*)?$/is, '/…')
    .replace(/^(\/ack)\/.*/s, '$1/…')
    .replace(/^(\/+v0\/+users)\/(?!timeline$).*?(\/timeline)?$/is, '$1/…$2');
}
