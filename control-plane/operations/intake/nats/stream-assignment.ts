import { type IntakeKind, type IntakeStream, intakeKinds } from './streams.ts';

/**
 * Pure: which worker should store which stream, by name. Workers have equally many of each kind, or one more; each
 * keeps what it has as far as that allows. The same for all that see the same, and stable once it is so. Empty without
 * workers; a stream whose holder is no worker is given to one that is.
 */
export function assignStreams(
  streams: readonly IntakeStream[],
  workers: readonly string[],
  holders: ReadonlyMap<string, string>,
): Map<string, string> {
  const assigned = new Map<string, string>();
  if (workers.length === 0) return assigned;
  const total = new Map<string, number>(workers.map(worker => [worker, 0]));
  for (const kind of intakeKinds) {
    for (const [worker, names] of assignKind(streams, kind, total, holders)) {
      for (const name of names) assigned.set(name, worker);
      total.set(worker, (total.get(worker) ?? 0) + names.length);
    }
  }
  return assigned;
}

/** Those with most streams already have one more than the others; of equals, those with fewest of other kinds. */
function assignKind(
  streams: readonly IntakeStream[],
  kind: IntakeKind,
  total: ReadonlyMap<string, number>,
  holders: ReadonlyMap<string, string>,
): [string, string[]][] {
  const names = streams.filter(stream => stream.kind === kind).map(({ name }) => name);
  const current = Map.groupBy(names, name => holders.get(name) ?? '');
  const streamsOf = (worker: string) => current.get(worker) ?? [];
  const ranked = [...total.keys()].sort(
    (left, right) =>
      streamsOf(right).length - streamsOf(left).length ||
      (total.get(left) ?? 0) - (total.get(right) ?? 0) ||
      (left < right ? -1 : 1),
  );
  const least = Math.floor(names.length / ranked.length);
  const more = names.length % ranked.length;
  const quotaOf = (rank: number) => least + (rank < more ? 1 : 0);
  const kept = ranked.map((worker, rank) => streamsOf(worker).slice(0, quotaOf(rank)));
  const isKept = new Set(kept.flat());
  const free = names.filter(name => !isKept.has(name));
  return ranked.map((worker, rank) => {
    const own = kept[rank] ?? [];
    return [worker, [...own, ...free.splice(0, quotaOf(rank) - own.length)]];
  });
}
