import { minuteMs } from '#shared/duration.ts';
import type { ProblemCode } from '../../platform/http/problem-codes.ts';
import type { Receipt } from './event.ts';

/** What became of events: `stored`, `known` by their dedup_id, or the code of their refusal. */
export type Outcome = 'stored' | 'known' | ProblemCode | Receipt['errors'][number]['code'];

/** Events of one project, minute and outcome. */
export type Tally = { projectId: string; minuteMs: number; outcome: string; events: number };

/** Minutes of projects that wait to be stored: far more than projects send in between. */
const tallyMax = 20_000;

/** Counts what becomes of events until it is stored. When there is too much of it, new minutes are not counted. */
export class IngestTallies {
  #waiting = new Map<string, Tally>();

  add(projectId: string, outcome: Outcome, events: number, nowMs: number): void {
    this.#add({ projectId, minuteMs: Math.floor(nowMs / minuteMs) * minuteMs, outcome, events });
  }

  /** Stores what waits; after a failure it waits again. */
  async flush(store: (tallies: readonly Tally[]) => Promise<void>): Promise<void> {
    if (this.#waiting.size === 0) return;
    const tallies = [...this.#waiting.values()];
    this.#waiting = new Map();
    try {
      await store(tallies);
    } catch (error) {
      for (const tally of tallies) this.#add(tally);
      throw error;
    }
  }

  #add(tally: Tally): void {
    if (tally.events === 0) return;
    const key = `${tally.projectId} ${tally.minuteMs} ${tally.outcome}`;
    const known = this.#waiting.get(key);
    if (known !== undefined) known.events += tally.events;
    else if (this.#waiting.size < tallyMax) this.#waiting.set(key, { ...tally });
  }
}
