import type { Draft } from '../draft/draft.ts';
import type { Thing } from '../draft/thing.ts';
import type { Item } from '../imported.ts';

/** A target and the module that probes it, on their way to a monitor with this key. */
export type Probed = { draft: Draft; thing: Thing; key: string; module: Item; target: string };

/** An assertion that a body matches a pattern. */
export function bodyMatches(value: string, operator = 'matches'): Item {
  return { type: 'body_contains', operator, value };
}
