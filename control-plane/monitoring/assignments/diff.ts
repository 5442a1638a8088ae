/** Versions by monitor id. */
export type MonitorVersions = ReadonlyMap<string, number>;

/** Ids of monitors to send and to remove. */
export type Diff = { put: string[]; drop: string[] };

/** Pure: the changes that turn the assignments an agent has into the wanted ones. */
export function diffAssignments(current: MonitorVersions, wanted: MonitorVersions): Diff {
  const put = [...wanted].flatMap(([id, version]) => (current.get(id) === version ? [] : [id]));
  const drop = [...current.keys()].filter(id => !wanted.has(id));
  return { put, drop };
}
