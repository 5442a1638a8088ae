import type { Context, Middleware } from 'koa';
import type { Endpoint } from './endpoint.ts';

/** Paths that pages of any origin may call without credentials; the endpoint checks a project's allowed origins. */
export function corsPaths(endpoints: readonly Endpoint[]): ReadonlySet<string> {
  return new Set(endpoints.filter(endpoint => endpoint.cors === true).map(endpoint => endpoint.path));
}

/** Sets the CORS headers on these paths before anything can fail: without them a page cannot read the problem. */
export function allowOrigins(paths: ReadonlySet<string>): Middleware {
  return (context, next) => {
    if (paths.has(pathOf(context))) {
      context.set('Access-Control-Allow-Origin', '*');
      context.set('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id, Idempotency-Replayed');
    }
    return next();
  };
}

/** Answers a browser's preflight request. */
export function answerPreflight(context: Context): void {
  context.set('Access-Control-Allow-Methods', 'POST');
  context.set('Access-Control-Allow-Headers', 'Content-Type, Content-Encoding, Idempotency-Key, X-Request-Id');
  context.set('Access-Control-Max-Age', '86400');
  context.status = 204;
}

/** Koa throws for a target without a path; `refuseMalformed` answers that. */
function pathOf(context: Context): string {
  try {
    return context.path;
  } catch {
    return '';
  }
}
