import { allows } from '../../platform/http/endpoint/caller.ts';
import { type Change, type Topic, topicScopes } from './topic.ts';

/** The ids of what changed by topic; null stands for more than are named. */
export type Batch = ReadonlyMap<Topic, ReadonlySet<string> | null>;

const idsMax = 100;

/** Adds changes to a batch, which stays small however many there are. */
export function addChanges(batch: Batch, changes: Iterable<Pick<Change, 'topic' | 'id'>>): Batch {
  const merged = new Map(batch);
  for (const { topic, id } of changes) {
    const known = merged.get(topic);
    if (known === null) continue;
    const ids = new Set(known).add(id);
    merged.set(topic, ids.size > idsMax ? null : ids);
  }
  return merged;
}

/** The union of two batches. */
export function mergeBatches(first: Batch, second: Batch): Batch {
  const merged = new Map(first);
  for (const [topic, ids] of second) {
    const known = merged.get(topic);
    const union = known === null || ids === null ? null : new Set([...(known ?? []), ...ids]);
    merged.set(topic, union !== null && union.size > idsMax ? null : union);
  }
  return merged;
}

/** A batch in which anything may have changed. */
export const everything: Batch = new Map((Object.keys(topicScopes) as Topic[]).map(topic => [topic, null]));

/** What a caller with these scopes may hear of. */
export function visibleTo(scopes: readonly string[], batch: Batch): Batch {
  return new Map([...batch].filter(([topic]) => allows(scopes, topicScopes[topic])));
}
