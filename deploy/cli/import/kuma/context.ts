import type { Draft } from '../draft/draft.ts';
import type { Thing } from '../draft/thing.ts';
import type { Item } from '../imported.ts';

/** A row of Kuma's monitors on its way to a monitor with this key. */
export type Context = { draft: Draft; thing: Thing; key: string; row: Item };
