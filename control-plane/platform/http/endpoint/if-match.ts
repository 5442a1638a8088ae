import { Problem } from '../problem.ts';
import { parseTimestamp } from './parameters.ts';

const lengthMax = 64;

/**
 * The `updated_at` that a change expects in `If-Match`, bare or quoted; null if it expects none, or `*`. Throws
 * `invalid_parameter`.
 */
export function readIfMatch(header: string | undefined): number | null {
  const value = header?.trim();
  if (value === undefined || value === '*') return null;
  const [, quoted] = /^"([^"]*)"$/.exec(value) ?? [];
  const expected = value.length > lengthMax ? null : parseTimestamp(quoted ?? value);
  if (expected !== null) return expected;
  const detail = 'must be the `updated_at` of the resource, or *';
  throw new Problem('invalid_parameter', { errors: [{ parameter: 'If-Match', code: 'format', detail }] });
}

/** Throws `changed_since` if another `updated_at` was expected. The resource is locked. */
export function requireUnchanged(expected: number | null | undefined, updatedAt: number): void {
  if (expected !== null && expected !== undefined && expected !== updatedAt) throw new Problem('changed_since');
}
