import type { AgentMessage } from '#shared/protocol/messages.ts';
import type { MissedReason } from './schedule.ts';

type VitalsMessage = Extract<AgentMessage, { type: 'vitals' }>;
/** Values read at the moment a message is built, as against counters. */
export type Gauges = Pick<VitalsMessage, 'clock_offset_ms' | 'assignments' | 'queue_depth' | 'spool'>;

export const vitalsEveryMs = 10_000;
const lateMs = 250;

/** Counts what the agent did since its last `vitals` message. */
export class Vitals {
  #checks = 0;
  #lateStarts = 0;
  #missed: Record<string, number> = {};
  #sinceMs = performance.now();

  /** Counts an attempt that starts `lateByMs` after its slot. More than 250 ms is a late start. */
  noteStart(lateByMs: number): void {
    this.#checks++;
    if (lateByMs > lateMs) this.#lateStarts++;
  }

  noteMissed(reason: MissedReason, count: number): void {
    this.#missed[reason] = (this.#missed[reason] ?? 0) + count;
  }

  /** Sends one message; resets the counters only if `send` accepted it. */
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
