import type { Middleware } from 'koa';
import type { Logger } from '#shared/log.ts';
import type { Metrics } from './metrics.ts';
import type { RequestState } from './request-id.ts';

/** Logs each request once it is answered, and counts its duration by route and status. */
export function logRequests({ log, metrics }: { log: Logger; metrics: Metrics }): Middleware<RequestState> {
  return async (context, next) => {
    const startedAt = performance.now();
    await next();
    const seconds = (performance.now() - startedAt) / 1000;
    // The router sets the path's pattern; raw paths would make a metric of every id.
    const route: unknown = context.routerPath;
    metrics.requests.observe({ route: typeof route === 'string' ? route : 'none', status: context.status }, seconds);
    const { method, status } = context;
    // A link in a message is a secret as a token is.
    const path = context.path.replace(/^\/ack\/.*/s, '/ack/…');
    const ms = Math.round(seconds * 1000);
    log.info({ request_id: context.state.requestId, method, path, status, ms }, 'request');
  };
}
