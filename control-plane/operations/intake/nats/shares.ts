import { type IntakeKind, type IntakeStream, intakeKinds } from './streams.ts';

/**
 * Pure: which worker should store which stream, by name. Workers have equally many of each kind, or one more; each
 * keeps what it has as far as that allows. The same for all that see the same, and stable once it is so. Empty without
 * workers; a stream whose holder is no worker is given to one that is.
 */
export function shareOut(
  streams: readonly IntakeStream[],
  workers: readonly string[],
  holders: ReadonlyMap<string, string>,
): Map<string, string> {
  const shares = new Map<string, string>();
  if (workers.length === 0) return shares;
  const total = new Map<string, number>(workers.map(worker => [worker, 0]));
  for (const kind of intakeKinds) {
    for (const [worker, names] of shareKind(streams, kind, total, holders)) {
      for (const name of names) shares.set(name, worker);
      total.set(worker, (total.get(worker) ?? 0) + names.length);
    }
  }
  return shares;
}

/** One more than the others have those that hold most already; of equals, those with fewest streams of other kinds. */
function shareKind(
  streams: readonly IntakeStream[],
  kind: IntakeKind,
  total: ReadonlyMap<string, number>,
  holders: ReadonlyMap<string, string>,
): [string, string[]][] {
  const names = streams.filter(stream => stream.kind === kind).map(({ name }) => name);
  const held = Map.groupBy(names, name => holders.get(name) ?? '');
  const heldBy = (worker: string) => held.get(worker) ?? [];
  const ranked = [...total.keys()].sort(
    (left, right) =>
      heldBy(right).length - heldBy(left).length ||
      (total.get(left) ?? 0) - (total.get(right) ?? 0) ||
      (left < right ? -1 : 1),
  );
  const least = Math.floor(names.length / ranked.length);
  const more = names.length % ranked.length;
  const quotaOf = (rank: number) => least + (rank < more ? 1 : 0);
  const kept = ranked.map((worker, rank) => heldBy(worker).slice(0, quotaOf(rank)));
  const isKept = new Set(kept.flat());
  const free = names.filter(name => !isKept.has(name));
  return ranked.map((worker, rank) => {
    const own = kept[rank] ?? [];
    return [worker, [...own, ...free.splice(0, quotaOf(rank) - own.length)]];
  });
}
