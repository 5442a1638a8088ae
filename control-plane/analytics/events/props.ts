import { cleanText } from '../../platform/http/bodies/read-body.ts';
import type { FieldCode } from '../../platform/http/problem.ts';
import { limits } from './event.ts';

/** Properties as JSON text, or their first fault; `at` is its JSON pointer below the properties. */
export type Inspected = { json: string } | { at: string; code: FieldCode; detail: string };

class Fault extends Error {
  readonly fault: Exclude<Inspected, { json: string }>;
  constructor(fault: Exclude<Inspected, { json: string }>) {
    super(fault.detail);
    this.fault = fault;
  }
}

/**
 * Checks depth, number of keys and numbers before anything else touches the value. `unclean`: texts may contain NUL or
 * lone surrogates, which become U+FFFD.
 */
export function inspectProps(value: object, unclean: boolean): Inspected {
  const count = { keys: 0 };
  try {
    const walked = walk(value, 1, '', unclean, count);
    return { json: JSON.stringify(walked) };
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
}

function walk(value: unknown, depth: number, at: string, unclean: boolean, count: { keys: number }): unknown {
  if (typeof value === 'string') return unclean ? cleanText(value) : value;
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Fault({ at, code: 'out_of_range', detail: 'must be representable as a 64-bit floating-point number' });
  if (typeof value !== 'object' || value === null) return value;
  if (depth > limits.depth)
    throw new Fault({ at: '', code: 'too_long', detail: `must be at most ${limits.depth} levels deep` });
  if (Array.isArray(value)) {
    const items = value.map((item, index) => walk(item, depth + 1, `${at}/${index}`, unclean, count));
    return unclean ? items : value;
  }
  const names = Object.keys(value);
  count.keys += names.length;
  if (count.keys > limits.keys)
    throw new Fault({ at: '', code: 'too_long', detail: `must have at most ${limits.keys} keys` });
  const fields = names.map((name): [string, unknown] => [
    unclean ? cleanText(name) : name,
    walk((value as Record<string, unknown>)[name], depth + 1, `${at}/${pointerPart(name)}`, unclean, count),
  ]);
  // Unlike an assignment, this makes `__proto__` an ordinary field.
  return unclean ? Object.fromEntries(fields) : value;
}

function pointerPart(name: string): string {
  return cleanText(name).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1');
}
