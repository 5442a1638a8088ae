import type Koa from 'koa';
import type { Endpoint } from './endpoint.ts';

/** Paths that pages of any origin call without credentials; which origins a project takes is the endpoint's own matter. */
export function corsPaths(endpoints: readonly Endpoint[]): ReadonlySet<string> {
  return new Set(endpoints.filter(endpoint => endpoint.cors === true).map(endpoint => endpoint.path));
}

/** Set before anything can fail: without these headers a page cannot read why. */
export function allowPages(context: Koa.Context): void {
  context.set('Access-Control-Allow-Origin', '*');
  context.set('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id, Idempotency-Replayed');
}

/** Answers the question a browser asks before a request that is not simple. */
export function answerPreflight(context: Koa.Context): void {
  context.set('Access-Control-Allow-Methods', 'POST');
  context.set('Access-Control-Allow-Headers', 'Content-Type, Content-Encoding, Idempotency-Key, X-Request-Id');
  context.set('Access-Control-Max-Age', '86400');
  context.status = 204;
}
