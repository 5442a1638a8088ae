import { hash } from 'node:crypto';
import { dayOf } from '#shared/duration.ts';
import {
  actualsOf,
  delayOf,
  hasSameTemplate,
  metricsOf,
  type ResultOfAgent,
  type StoredParts,
  type TemplateFields,
  templateOf,
  templateWithoutActuals,
  wholeParts,
} from './template.ts';

/** A template about to be stored; `day` is the start of the day of its results, `hash` a safe integer. */
export type NewTemplate = { monitorId: string; day: number; hash: number; text: string };

/** How many templates of a monitor a day may have before what assertions found moves out of them, and at all. */
const templatesMax = { complete: 16, bare: 64 } as const;
const monitorDaysMax = 100_000;
const recentMax = 20_000;
type Recent = { fields: TemplateFields; hash: number };

const noHashes: ReadonlySet<number> = new Set();

/**
 * Dictionary encoding: divides results into templates, which are stored once a day, and the rest. Remembers which
 * templates are stored, so that nothing is read or written for one that was seen before.
 */
export class TemplateDictionary {
  /** By monitor, then by day: a key made of both would be made and hashed anew for each result. */
  readonly #stored = new Map<string, Map<number, Set<number>>>();
  #storedDays = 0;
  /** What each agent last found of each monitor: comparing it takes a fifth of making its text and hash again. */
  readonly #recent = new Map<string, Map<string, Recent>>();
  #recentCount = 0;

  /** The parts of each result in order, and the templates that have to be stored with them. */
  divide(results: readonly ResultOfAgent[]): { parts: StoredParts[]; templates: NewTemplate[] } {
    const added = new Map<string, Map<number, NewTemplate>>();
    const parts = results.map(result => {
      const metrics = metricsOf(result);
      if (metrics === null) return wholeParts(result);
      const day = dayOf(result.scheduled_at);
      const stored = this.#stored.get(result.monitor_id)?.get(day) ?? noHashes;
      const recent = this.#recent.get(result.monitor_id)?.get(result.agentId);
      if (recent !== undefined && stored.has(recent.hash) && hasSameTemplate(recent.fields, result))
        return { agentId: '', detail: delayOf(result), template: recent.hash, metrics };
      const key = `${result.monitor_id} ${day}`;
      const use = (text: string, max: number): number | null => {
        const id = hashOf(text);
        const fresh = added.get(key);
        if (stored.has(id) || fresh?.has(id) === true) return id;
        if (stored.size + (fresh?.size ?? 0) >= max) return null;
        const template = { monitorId: result.monitor_id, day, hash: id, text };
        if (fresh === undefined) added.set(key, new Map([[id, template]]));
        else fresh.set(id, template);
        return id;
      };
      const complete = use(templateOf(result), templatesMax.complete);
      if (complete !== null) {
        this.#keep(result, complete);
        return { agentId: '', detail: delayOf(result), template: complete, metrics };
      }
      const bare = use(templateWithoutActuals(result), templatesMax.bare);
      if (bare !== null) return { agentId: '', detail: actualsOf(result), template: bare, metrics };
      return wholeParts(result);
    });
    return { parts, templates: [...added.values()].flatMap(templates => [...templates.values()]) };
  }

  #keep({ monitor_id: id, agentId, assertions, remote_ip, tls, warnings }: ResultOfAgent, hash: number): void {
    const ofMonitor = this.#recent.get(id) ?? new Map<string, Recent>();
    if (!ofMonitor.has(agentId)) this.#recentCount += 1;
    ofMonitor.set(agentId, { fields: { assertions, remote_ip, tls, warnings }, hash });
    this.#recent.delete(id);
    this.#recent.set(id, ofMonitor);
    // Not begun without need: a Map looks for its first entry among the holes of deleted ones.
    if (this.#recentCount <= recentMax) return;
    for (const [oldest, agents] of this.#recent) {
      if (this.#recentCount <= recentMax) break;
      this.#recent.delete(oldest);
      this.#recentCount -= agents.size;
    }
  }

  /** Takes no template for stored any more. */
  forget(): void {
    this.#stored.clear();
    this.#storedDays = 0;
  }

  /** Call it after the commit. */
  remember(templates: readonly NewTemplate[]): void {
    if (this.#storedDays > monitorDaysMax) this.forget();
    for (const { monitorId, day, hash: id } of templates) {
      const days = this.#stored.get(monitorId) ?? new Map<number, Set<number>>();
      const stored = days.get(day) ?? new Set<number>();
      if (stored.size === 0) this.#storedDays += 1;
      this.#stored.set(monitorId, days.set(day, stored.add(id)));
    }
  }
}

/** 48 bits: a monitor has at most a few templates a day. */
function hashOf(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, 6);
}
