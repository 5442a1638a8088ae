import { hiddenValue } from '../../monitoring/monitors/secrets/hidden.ts';
import { pointerTo } from '../../platform/http/bodies/unknown-fields.ts';
import type { Body } from '../kinds/kind.ts';

/** Stands for a value of the environment that need not be sent. */
const standIn = 'value-of-the-environment';

/** A body without what its caller must not compare, and where that was. */
export type Blinded = { body: Body; pointers: ReadonlySet<string> };

/**
 * Pure: a body for who may read a resource but not write it. Whoever could compare secrets could guess them: so what
 * the resource hides stays hidden, and what comes from the environment or names a secret is as the resource has it.
 * `shown` is null for a new resource.
 */
export function withoutGuesses(body: Body, fromEnvironment: ReadonlySet<string>, shown: unknown): Blinded {
  const known = new Map<string, unknown>();
  collect(shown, '', known);
  const pointers = new Set<string>();
  const walk = (value: unknown, pointer: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => walk(item, `${pointer}/${index}`));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, walk(item, `${pointer}${pointerTo([name])}`)]),
      );
    const isGiven = fromEnvironment.has(pointer) || namesSecret(value);
    const present = known.get(pointer.toLowerCase());
    if (present !== hiddenValue && !isGiven) return value;
    pointers.add(pointer);
    return present ?? standIn;
  };
  return { body: walk(body, '') as Body, pointers };
}

/** What is said of a text with the values of secrets in it says something of the values. */
function namesSecret(value: unknown): boolean {
  return typeof value === 'string' && value.includes('{{secret.');
}

/** Pure: the members of a resource that hide something of themselves. */
export function hidingMembers(shown: unknown): string[] {
  return Object.entries((shown ?? {}) as Body).flatMap(([name, value]) => (hides(value) ? [name] : []));
}

function hides(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === hiddenValue;
  return Object.values(value).some(hides);
}

/** Names of headers are the same in any case, so pointers are compared without. */
function collect(value: unknown, pointer: string, into: Map<string, unknown>): void {
  if (typeof value !== 'object' || value === null) into.set(pointer.toLowerCase(), value);
  else for (const [name, item] of Object.entries(value)) collect(item, `${pointer}${pointerTo([name])}`, into);
}
