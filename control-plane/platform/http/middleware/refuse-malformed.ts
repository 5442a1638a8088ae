import type { Context, Middleware } from 'koa';
import { Problem } from '../problem.ts';
import { namesOneHost } from './node-errors.ts';

/** Refuses what Node accepts although RFC 9112 forbids it: no Host or several, and a target that cannot be parsed. */
export const refuseMalformed: Middleware = (context, next) => {
  const detail = malformation(context);
  if (detail !== null) throw new Problem('invalid_parameter', { detail });
  return next();
};

function malformation(context: Context): string | null {
  try {
    if (context.path === null) return 'the request target has no path';
  } catch {
    // Replaced, since Koa throws again on each access to the path.
    context.url = '/';
    return 'the request target is not valid';
  }
  return namesOneHost(context.req) ? null : 'exactly one Host header is required';
}
