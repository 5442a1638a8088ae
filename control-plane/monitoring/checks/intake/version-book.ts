import type { VersionRules } from './accept.ts';

const versionsMax = 200_000;

/** The rules of versions that results named lately. A version never changes, but for the deletion of its monitor. */
export class VersionBook {
  /** By monitor, then by version: a key made of both would be made and hashed anew for each result. */
  readonly #rules = new Map<string, Map<number, VersionRules>>();
  readonly #max: number;
  #count = 0;

  /** Keeps at most `max` versions, and those of one more batch. */
  constructor(max = versionsMax) {
    this.#max = max;
  }

  get(monitorId: string, version: number): VersionRules | undefined {
    return this.#rules.get(monitorId)?.get(version);
  }

  set(monitorId: string, version: number, rules: VersionRules): void {
    const ofMonitor = this.#rules.get(monitorId) ?? new Map<number, VersionRules>();
    if (!ofMonitor.has(version)) this.#count += 1;
    this.#rules.set(monitorId, ofMonitor.set(version, rules));
  }

  /** Forgets all of them if they are too many. Call it before those of a batch are set. */
  makeRoom(): void {
    if (this.#count > this.#max) this.clear();
  }

  clear(): void {
    this.#rules.clear();
    this.#count = 0;
  }
}
