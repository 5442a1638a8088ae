import { emptySet, mergeSets, storedExactMax, type UserSet } from '../../user-sets/user-set.ts';

/** The hour and the release ('' for none) of entries, and the step that they reached. */
export type HourlyStepKey = { hour: number; releaseId: string; step: number };

/** The users who entered in an hour under a release and reached a step: one row of `events_hourly`. */
export type HourlyStep = HourlyStepKey & { users: UserSet };

export function keyOf({ hour, releaseId, step }: HourlyStepKey): string {
  return `${hour} ${releaseId} ${step}`;
}

export function compareKeys(left: HourlyStepKey, right: HourlyStepKey): number {
  if (left.hour !== right.hour) return left.hour - right.hour;
  if (left.releaseId !== right.releaseId) return left.releaseId < right.releaseId ? -1 : 1;
  return left.step - right.step;
}

/** What a recount changes: steps to write, and hours that have to be recomputed for all users instead. */
export type Recount = { changed: HourlyStep[]; dirtyHours: Set<number> };

/**
 * Merges steps recounted for some users into the stored ones. `replaced` tells which users of a stored hour the recount
 * replaces: late events only ever take users of an ordered flow further, but in a strict flow they may hold a user
 * back, who then has to be taken out.
 */
export function mergeRecount(
  stored: ReadonlyMap<string, HourlyStep>,
  recounted: ReadonlyMap<string, HourlyStep>,
  replaced: (hour: number) => readonly number[],
): Recount {
  const result: Recount = { changed: [], dirtyHours: new Set() };
  const affected = [...stored].filter(([, { hour }]) => replaced(hour).length > 0);
  for (const [key, { hour, releaseId, step }] of new Map([...affected, ...recounted])) {
    const before = stored.get(key)?.users ?? emptySet();
    const fresh = recounted.get(key)?.users ?? emptySet();
    const users = mergeRecounted(before, fresh, replaced(hour));
    if (users === 'irreplaceable') result.dirtyHours.add(hour);
    else if (users !== null) result.changed.push({ hour, releaseId, step, users });
  }
  return result;
}

/**
 * The set after the recount; null if it is unchanged, 'irreplaceable' if users would have to be taken out of a sketch.
 */
function mergeRecounted(
  before: UserSet,
  fresh: UserSet,
  replaced: readonly number[],
): UserSet | null | 'irreplaceable' {
  if (before.kind === 'exact') {
    const users = new Set(before.users);
    for (const actor of replaced) users.delete(actor);
    const merged = mergeSets({ kind: 'exact', users }, fresh, storedExactMax);
    return merged.kind === 'exact' && isSame(before.users, merged.users) ? null : merged;
  }
  if (replaced.length > 0) return 'irreplaceable';
  const sketch = new Uint8Array(before.sketch);
  const merged = mergeSets({ kind: 'sketch', sketch }, fresh, storedExactMax);
  return Buffer.compare(sketch, before.sketch) === 0 ? null : merged;
}

function isSame(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  return left.size === right.size && left.isSubsetOf(right);
}
