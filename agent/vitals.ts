import type { AgentMessage } from '#shared/protocol/messages.ts';
import type { MissedReason } from './schedule.ts';

type VitalsMessage = Extract<AgentMessage, { type: 'vitals' }>;
/** What is read when a message is made. */
export type Gauges = Pick<VitalsMessage, 'clock_offset_ms' | 'assignments' | 'queue_depth' | 'spool'>;

export const vitalsEveryMs = 10_000;
const lateMs = 250;

/** Counts what an agent did since its last message about itself. */
export class Vitals {
  #checks = 0;
  #lateStarts = 0;
  #missed: Record<string, number> = {};
  #sinceMs = performance.now();

  /** An attempt begins; `lateByMs` after its slot. */
  noteStart(lateByMs: number): void {
    this.#checks++;
    if (lateByMs > lateMs) this.#lateStarts++;
  }

  noteMissed(reason: MissedReason, count: number): void {
    this.#missed[reason] = (this.#missed[reason] ?? 0) + count;
  }

  /** The message; counters begin anew once `sent` says it left. */
  report(gauges: Gauges, send: (message: VitalsMessage) => boolean): void {
    const sent = send({
      type: 'vitals',
      ...gauges,
      checks: this.#checks,
      period_ms: Math.round(performance.now() - this.#sinceMs),
      missed: this.#missed,
      late_starts: this.#lateStarts,
      rss_bytes: process.memoryUsage.rss(),
    });
    if (!sent) return;
    this.#checks = 0;
    this.#lateStarts = 0;
    this.#missed = {};
    this.#sinceMs = performance.now();
  }
}
