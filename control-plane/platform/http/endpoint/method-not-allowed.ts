import type { Middleware } from 'koa';
import { Problem } from '../problem.ts';

/**
 * Follows the router: 405 with `Allow` where other methods are served, 404 where none is. The router's own
 * `allowedMethods` would answer OPTIONS with 200 and unknown methods with 501.
 */
export const methodNotAllowed: Middleware = context => {
  const layers: readonly { methods: readonly string[] }[] = context.matched ?? [];
  if (layers.length === 0) throw new Problem('not_found');
  const methods = new Set(layers.flatMap(layer => layer.methods));
  throw new Problem('method_not_allowed', { headers: { Allow: [...methods].join(', ') } });
};
