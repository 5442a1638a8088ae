import { isDeepStrictEqual } from 'node:util';

/** Whether a patch gives any field another value than it has. */
export function hasChanges(patch: object, current: object): boolean {
  const present = current as Readonly<Record<string, unknown>>;
  return Object.entries(patch).some(([name, value]) => value !== undefined && !isDeepStrictEqual(value, present[name]));
}
