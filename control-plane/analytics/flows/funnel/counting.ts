/** A track event of a user: its time, and the steps it matches as bits (bit 0 is step 1). */
export type StepEvent = { atMs: number; steps: number };

export type CountingRule = { steps: number; windowMs: number; strict: boolean };

/** Events of one instant, which may be taken in any order; `events` are their steps. */
type Tie = { atMs: number; events: number[] };

/**
 * How many steps a user reached, for each bucket of entries. An entry is a step-1 event that `bucketOf` puts into a
 * bucket; each later step is matched by another event, not earlier in time, at most `windowMs` after the entry. Events
 * of one instant may be taken in either order; the best entry of the bucket counts. Strict: no other event between two
 * steps. `events` are all of one user, in order of time; strict rules need every track event, also those that match no
 * step.
 */
export function depthsOf(
  events: readonly StepEvent[],
  rule: CountingRule,
  bucketOf: (atMs: number) => number | null,
): Map<number, number> {
  const ties = tiesOf(events);
  const buckets = new Set<number>();
  for (const { atMs, steps } of events) {
    const bucket = (steps & 1) === 1 ? bucketOf(atMs) : null;
    if (bucket !== null) buckets.add(bucket);
  }
  const deepest = rule.strict ? deepestStrict : deepestOrdered;
  return new Map([...buckets].map(bucket => [bucket, deepest(ties, rule, atMs => bucketOf(atMs) === bucket)]));
}

/**
 * Tracks the latest entry that reaches each depth: of two entries at the same depth the later one can do everything
 * that the earlier one can, since only the end of the window depends on the entry.
 */
function deepestOrdered(ties: readonly Tie[], rule: CountingRule, enters: (atMs: number) => boolean): number {
  const latest: number[] = new Array(rule.steps + 1).fill(Number.NEGATIVE_INFINITY);
  for (const { atMs, events } of ties) {
    // From the deepest: a depth reached here must not be extended by the same event again.
    for (let done = rule.steps - 1; done >= 0; done--) {
      const entry = done === 0 ? (enters(atMs) ? atMs : Number.NEGATIVE_INFINITY) : (latest[done] ?? 0);
      if (atMs > entry + rule.windowMs) continue;
      const more = stepsMatched(events, done, rule.steps);
      for (let depth = done + 1; depth <= done + more; depth++) latest[depth] = Math.max(latest[depth] ?? 0, entry);
    }
  }
  return latest.findLastIndex(entry => entry > Number.NEGATIVE_INFINITY);
}

/** A chain stays open only while it takes every event of an instant; a new one may begin with the last of them. */
function deepestStrict(ties: readonly Tie[], rule: CountingRule, enters: (atMs: number) => boolean): number {
  let open = new Map<number, number>();
  let deepest = 0;
  for (const { atMs, events } of ties) {
    const next = new Map<number, number>();
    for (const [done, entry] of open) {
      if (atMs > entry + rule.windowMs) continue;
      const more = stepsMatched(events, done, rule.steps);
      deepest = Math.max(deepest, done + more);
      if (more === events.length) setLatest(next, done + more, entry);
    }
    const fresh = enters(atMs) ? stepsMatched(events, 0, rule.steps) : 0;
    deepest = Math.max(deepest, fresh);
    for (let depth = 1; depth <= fresh; depth++) setLatest(next, depth, atMs);
    open = next;
  }
  return deepest;
}

function setLatest(entries: Map<number, number>, depth: number, entry: number): void {
  entries.set(depth, Math.max(entries.get(depth) ?? entry, entry));
}

/** How many steps after `done`, without a gap, can each be matched by an event of their own. */
function stepsMatched(events: readonly number[], done: number, steps: number): number {
  if (done >= steps) return 0;
  if (events.length === 1) return (((events[0] ?? 0) >> done) & 1) === 1 ? 1 : 0;
  const takenBy = new Map<number, number>();
  let count = 0;
  while (done + count < steps && findEvent(events, done + count, takenBy, new Set())) count += 1;
  return count;
}

/**
 * Bipartite matching by augmenting paths: a step may take another step's event if that step can match a different one.
 */
function findEvent(events: readonly number[], step: number, takenBy: Map<number, number>, tried: Set<number>): boolean {
  for (const [index, steps] of events.entries()) {
    if (((steps >> step) & 1) === 0 || tried.has(index)) continue;
    tried.add(index);
    const holder = takenBy.get(index);
    if (holder !== undefined && !findEvent(events, holder, takenBy, tried)) continue;
    takenBy.set(index, step);
    return true;
  }
  return false;
}

function tiesOf(events: readonly StepEvent[]): Tie[] {
  const ties: Tie[] = [];
  for (const { atMs, steps } of events) {
    const last = ties.at(-1);
    if (last?.atMs === atMs) last.events.push(steps);
    else ties.push({ atMs, events: [steps] });
  }
  return ties;
}
