import type { Context, Middleware } from 'koa';
import type { Endpoint } from '../endpoint/endpoint.ts';

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

const allowedHeaders = ['Content-Type', 'Content-Encoding', 'Idempotency-Key', 'X-Request-Id'];
const headerNamesMax = 100;
const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i;

/**
 * Answers a browser's preflight request. Scripts that trace requests add headers of their own (`traceparent`,
 * `baggage`) to all of a page: those are allowed and not read. Only a token is not: it does not belong in a page.
 */
export function answerPreflight(context: Context): void {
  context.set('Access-Control-Allow-Methods', 'POST');
  context.set('Access-Control-Allow-Headers', headersFor(context.get('access-control-request-headers')).join(', '));
  context.vary('Access-Control-Request-Headers');
  context.set('Access-Control-Max-Age', '86400');
  context.status = 204;
}

/** The requested names that are names, beside those that the endpoint reads. */
export function headersFor(requested: string): string[] {
  const known = new Set(['authorization', ...allowedHeaders.map(name => name.toLowerCase())]);
  const names = requested.split(',', headerNamesMax).map(name => name.trim().toLowerCase());
  return [...allowedHeaders, ...new Set(names.filter(name => headerName.test(name) && !known.has(name)))];
}

/** Koa throws for a target without a path; `refuseMalformed` answers that. */
function pathOf(context: Context): string {
  try {
    return context.path;
  } catch {
    return '';
  }
}
