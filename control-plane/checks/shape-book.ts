import { hash } from 'node:crypto';
import { dayMs } from '#shared/duration.ts';
import {
  actualsOf,
  figuresOf,
  hasSameShape,
  type ResultOfAgent,
  type ShapedFields,
  type StoredParts,
  shapeOf,
  shapeWithoutActuals,
  wholeParts,
} from './shape.ts';

/** A shape about to be stored; `day` is the start of the day of its results, `hash` a safe integer. */
export type NewShape = { monitorId: string; day: number; hash: number; text: string };

/** How many shapes of a monitor a day may have before what assertions found moves out of them, and at all. */
const shapesMax = { complete: 16, bare: 64 } as const;
const monitorDaysMax = 100_000;
const recentMax = 20_000;
const noHashes: ReadonlySet<number> = new Set();

/**
 * Divides results into shapes, which are stored once a day, and the rest. Remembers which shapes are stored, so that
 * nothing is read or written for a shape that was seen before.
 */
export class ShapeBook {
  readonly #stored = new Map<string, Set<number>>();
  /** What each agent last found of each monitor: comparing it takes a fifth of making its text and hash again. */
  readonly #recent = new Map<string, { fields: ShapedFields; hash: number }>();

  /** The parts of each result in order, and the shapes that have to be stored with them. */
  divide(results: readonly ResultOfAgent[]): { parts: StoredParts[]; shapes: NewShape[] } {
    const added = new Map<string, Map<number, NewShape>>();
    const parts = results.map(result => {
      const figures = figuresOf(result);
      if (figures === null) return wholeParts(result);
      const day = dayOf(result.scheduled_at);
      const key = keyOf(result.monitor_id, day);
      const stored = this.#stored.get(key) ?? noHashes;
      const place = `${result.monitor_id} ${result.agentId}`;
      const recent = this.#recent.get(place);
      if (recent !== undefined && stored.has(recent.hash) && hasSameShape(recent.fields, result))
        return { agentId: '', detail: '{}', shape: recent.hash, figures };
      const use = (text: string, max: number): number | null => {
        const id = hashOf(text);
        const fresh = added.get(key);
        if (stored.has(id) || fresh?.has(id) === true) return id;
        if (stored.size + (fresh?.size ?? 0) >= max) return null;
        const shape = { monitorId: result.monitor_id, day, hash: id, text };
        if (fresh === undefined) added.set(key, new Map([[id, shape]]));
        else fresh.set(id, shape);
        return id;
      };
      const complete = use(shapeOf(result), shapesMax.complete);
      if (complete !== null) {
        this.#keep(place, result, complete);
        return { agentId: '', detail: '{}', shape: complete, figures };
      }
      const bare = use(shapeWithoutActuals(result), shapesMax.bare);
      if (bare !== null) return { agentId: '', detail: actualsOf(result), shape: bare, figures };
      return wholeParts(result);
    });
    return { parts, shapes: [...added.values()].flatMap(shapes => [...shapes.values()]) };
  }

  #keep(place: string, { assertions, remote_ip, tls }: ResultOfAgent, hash: number): void {
    this.#recent.delete(place);
    this.#recent.set(place, { fields: { assertions, remote_ip, tls }, hash });
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > recentMax && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** Takes no shape for stored any more. */
  forget(): void {
    this.#stored.clear();
  }

  /** Call it after the commit. */
  remember(shapes: readonly NewShape[]): void {
    if (this.#stored.size > monitorDaysMax) this.#stored.clear();
    for (const { monitorId, day, hash: id } of shapes) {
      const key = keyOf(monitorId, day);
      const stored = this.#stored.get(key);
      if (stored === undefined) this.#stored.set(key, new Set([id]));
      else stored.add(id);
    }
  }
}

/** The start of the day that the shape of a result is stored under. */
export function dayOf(scheduledAt: number): number {
  return Math.floor(scheduledAt / dayMs) * dayMs;
}

function keyOf(monitorId: string, day: number): string {
  return `${monitorId} ${day}`;
}

/** 48 bits: a monitor has at most a few shapes a day. */
function hashOf(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, 6);
}
