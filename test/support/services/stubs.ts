import type { Stub } from './service.ts';

/** Stubs of services that have a file each. */
const stubs = {} as const satisfies Record<string, Stub>;

/** One member of each stub, by type. */
export function ofStubs<Value>(read: (stub: Stub) => Value): Record<keyof typeof stubs, Value> {
  const entries = Object.entries<Stub>(stubs).map(([type, stub]) => [type, read(stub)]);
  return Object.fromEntries(entries);
}
