import { createHash } from 'node:crypto';
import { boundedCache } from '#shared/bounded-cache.ts';
import { classifyFault } from '../db/errors.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

type Bounds = { forMs: number; countMax: number };
const defaults: Bounds = { forMs: 15 * 60_000, countMax: 10_000 };

/**
 * A lookup that, while the database is away, repeats what it found in the last quarter of an hour; what it never found
 * it does not know. Keys may be secrets: only their hashes are kept.
 */
export function staleIfError<Value>(
  breaker: CircuitBreaker,
  lookUp: (key: string) => Promise<Value>,
  { forMs, countMax }: Bounds = defaults,
): (key: string) => Promise<Value> {
  const found = boundedCache<{ value: Value; atMs: number }>(countMax);
  return async key => {
    const hash = createHash('sha256').update(key).digest('base64');
    return breaker.attempt(
      async () => {
        try {
          const value = await lookUp(key);
          // Whatever strangers ask for must not drive out what is there.
          if (value === null) found.delete(hash);
          else found.set(hash, { value, atMs: performance.now() });
          return value;
        } catch (error) {
          // A refusal ends what was known; an absence does not.
          if (classifyFault(error) !== 'away') found.delete(hash);
          throw error;
        }
      },
      error => {
        const before = found.get(hash);
        if (before === undefined || performance.now() - before.atMs > forMs) throw error;
        return before.value;
      },
    );
  };
}
