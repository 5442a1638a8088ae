import { hash } from 'node:crypto';
import { dayMs } from '#shared/duration.ts';
import {
  actualsOf,
  delayOf,
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
type Recent = { fields: ShapedFields; hash: number };

const noHashes: ReadonlySet<number> = new Set();

/**
 * Divides results into shapes, which are stored once a day, and the rest. Remembers which shapes are stored, so that
 * nothing is read or written for a shape that was seen before.
 */
export class ShapeBook {
  /** By monitor, then by day: a key made of both would be made and hashed anew for each result. */
  readonly #stored = new Map<string, Map<number, Set<number>>>();
  #storedDays = 0;
  /** What each agent last found of each monitor: comparing it takes a fifth of making its text and hash again. */
  readonly #recent = new Map<string, Map<string, Recent>>();
  #recentCount = 0;

  /** The parts of each result in order, and the shapes that have to be stored with them. */
  divide(results: readonly ResultOfAgent[]): { parts: StoredParts[]; shapes: NewShape[] } {
    const added = new Map<string, Map<number, NewShape>>();
    const parts = results.map(result => {
      const figures = figuresOf(result);
      if (figures === null) return wholeParts(result);
      const day = dayOf(result.scheduled_at);
      const stored = this.#stored.get(result.monitor_id)?.get(day) ?? noHashes;
      const recent = this.#recent.get(result.monitor_id)?.get(result.agentId);
      if (recent !== undefined && stored.has(recent.hash) && hasSameShape(recent.fields, result))
        return { agentId: '', detail: delayOf(result), shape: recent.hash, figures };
      const key = `${result.monitor_id} ${day}`;
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
        this.#keep(result, complete);
        return { agentId: '', detail: delayOf(result), shape: complete, figures };
      }
      const bare = use(shapeWithoutActuals(result), shapesMax.bare);
      if (bare !== null) return { agentId: '', detail: actualsOf(result), shape: bare, figures };
      return wholeParts(result);
    });
    return { parts, shapes: [...added.values()].flatMap(shapes => [...shapes.values()]) };
  }

  #keep({ monitor_id: id, agentId, assertions, remote_ip, tls, warnings }: ResultOfAgent, hash: number): void {
    const ofMonitor = this.#recent.get(id) ?? new Map<string, Recent>();
    if (!ofMonitor.has(agentId)) this.#recentCount += 1;
    ofMonitor.set(agentId, { fields: { assertions, remote_ip, tls, warnings }, hash });
    this.#recent.delete(id);
    this.#recent.set(id, ofMonitor);
    for (const [oldest, agents] of this.#recent) {
      if (this.#recentCount <= recentMax) break;
      this.#recent.delete(oldest);
      this.#recentCount -= agents.size;
    }
  }

  /** Takes no shape for stored any more. */
  forget(): void {
    this.#stored.clear();
    this.#storedDays = 0;
  }

  /** Call it after the commit. */
  remember(shapes: readonly NewShape[]): void {
    if (this.#storedDays > monitorDaysMax) this.forget();
    for (const { monitorId, day, hash: id } of shapes) {
      const days = this.#stored.get(monitorId) ?? new Map<number, Set<number>>();
      const stored = days.get(day) ?? new Set<number>();
      if (stored.size === 0) this.#storedDays += 1;
      this.#stored.set(monitorId, days.set(day, stored.add(id)));
    }
  }
}

/** The start of the day that the shape of a result is stored under. */
export function dayOf(scheduledAt: number): number {
  return Math.floor(scheduledAt / dayMs) * dayMs;
}

/** 48 bits: a monitor has at most a few shapes a day. */
function hashOf(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, 6);
}
