import { hourMs } from '#shared/duration.ts';
import type { Confirmation } from '#shared/vocabulary.ts';

const keptMs = hourMs;
const countMax = 100_000;

/**
 * The checks of no slot that were asked for in the last hour, at most 100,000 of them. Every replica hears of each
 * before it asks its agents, so that the one which stores a result knows whether it was wanted.
 */
export class AskedChecks {
  readonly #asked = new Map<string, { atMs: number; regions: readonly string[] }>();

  /** Remembers what is to be checked like a slot; confirmations fit the schedule without it. */
  remember(checks: readonly Confirmation[], nowMs: number): void {
    for (const { monitorId, configVersion, at, regions, kind } of checks) {
      if (kind !== 'scheduled' || regions === undefined) continue;
      this.#asked.set(keyOf(monitorId, configVersion, at), { atMs: nowMs, regions });
    }
    // The oldest are first.
    for (const [key, { atMs }] of this.#asked) {
      if (this.#asked.size <= countMax && nowMs - atMs < keptMs) break;
      this.#asked.delete(key);
    }
  }

  /** True if the region was asked to check the version at that instant. */
  includes(monitorId: string, configVersion: number, region: string, at: number): boolean {
    return this.#asked.get(keyOf(monitorId, configVersion, at))?.regions.includes(region) === true;
  }
}

function keyOf(monitorId: string, configVersion: number, at: number): string {
  return `${monitorId} ${configVersion} ${at}`;
}
