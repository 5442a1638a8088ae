import type { Sql } from '../../../platform/db/sql.ts';
import { isDisjoint } from '../flow.ts';
import { depthsOf, type StepEvent } from './counting.ts';
import { countDepths, type Depth, eachDepth, eachStepEvent, type FunnelQuery, type StepEventRow } from './store.ts';

/** Users who reached at least each step, by bucket: `counts[bucket][step - 1]`. */
export type StepCounts = Map<number, number[]>;

/**
 * Counts a funnel from raw events, in the caller's transaction. The database counts if no event can match two steps and
 * others may lie between; otherwise the events are read and counted here.
 */
export async function countFunnel(sql: Sql, query: FunnelQuery): Promise<StepCounts> {
  const counts: StepCounts = new Map();
  const add = (bucket: number, depth: number, users: number): void => {
    const steps = counts.get(bucket) ?? query.rule.steps.map(() => 0);
    for (let step = 0; step < depth; step++) steps[step] = (steps[step] ?? 0) + users;
    counts.set(bucket, steps);
  };
  if (isSimple(query)) for (const row of await countDepths(sql, query)) add(row.bucket, row.depth, row.users);
  else await evaluateUsers(sql, query, ({ bucket, depth }) => add(bucket, depth, 1));
  return counts;
}

/** How many steps each user reached, by bucket, in no order. */
export async function eachUser(sql: Sql, query: FunnelQuery, each: (depth: Depth) => void): Promise<void> {
  if (isSimple(query)) await eachDepth(sql, query, each);
  else await evaluateUsers(sql, query, each);
}

function isSimple({ rule }: FunnelQuery): boolean {
  return rule.order === 'ordered' && isDisjoint(rule);
}

/** Holds the events of one user at a time in memory. */
async function evaluateUsers(sql: Sql, query: FunnelQuery, each: (depth: Depth) => void): Promise<void> {
  let [actor, events]: [number | null, UserStep[]] = [null, []];
  const finish = (): void => {
    if (actor === null) return;
    for (const [bucket, depth] of depthsIn(events, query)) each({ actor, bucket, depth });
  };
  await eachStepEvent(sql, query, row => {
    if (row.actor !== actor) {
      finish();
      [actor, events] = [row.actor, []];
    }
    events.push({ atMs: row.at_ms, steps: row.steps, valueBucket: row.value_bucket });
  });
  finish();
}

type UserStep = StepEvent & { valueBucket: StepEventRow['value_bucket'] };

/** By value: each bucket is the funnel whose first step asks for that value. */
function depthsIn(events: readonly UserStep[], { rule, bounds, byValue }: FunnelQuery): Map<number, number> {
  const counting = { steps: rule.steps.length, windowMs: rule.windowSeconds * 1000, strict: rule.order === 'strict' };
  if (byValue === undefined) return depthsOf(events, counting, atMs => bucketOf(bounds, atMs));
  const depths = new Map<number, number>();
  for (const bucket of new Set(events.map(event => event.valueBucket))) {
    const own = events.map(event => (event.valueBucket === bucket ? event : { ...event, steps: event.steps & ~1 }));
    const depth = depthsOf(own, counting, atMs => bucketOf(bounds, atMs)).get(1);
    if (depth !== undefined) depths.set(bucket, depth);
  }
  return depths;
}

/** The bucket between two neighbouring bounds, from 1; null before the first bound and from the last one on. */
function bucketOf(bounds: readonly number[], atMs: number): number | null {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low === 0 || low === bounds.length ? null : low;
}
