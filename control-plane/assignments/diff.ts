/** Monitors by id with the version that is held or wanted. */
export type Held = ReadonlyMap<string, number>;

/** What turns one set of assignments into another. */
export type Diff = { put: string[]; drop: string[] };

export function diffAssignments(held: Held, wanted: Held): Diff {
  const put = [...wanted].flatMap(([id, version]) => (held.get(id) === version ? [] : [id]));
  const drop = [...held.keys()].filter(id => !wanted.has(id));
  return { put, drop };
}
