import type { AgentMessage } from '#shared/protocol/messages.ts';
import type { Vitals } from './heartbeat-store.ts';

type Message = Extract<AgentMessage, { type: 'vitals' }>;
type Spool = { count: number; dropped: number };
type Counters = Pick<Vitals, 'missedSlots' | 'lateStarts'>;

const [periodMinMs, countMax] = [100, 1_000_000];

/** What an agent has said of itself: its last gauges, and its counters since the last heartbeat. */
export class ReportedVitals {
  #last: Message | null = null;
  #counters: Counters = { missedSlots: 0, lateStarts: 0 };

  add(message: Message): void {
    this.#last = message;
    const missedSlots = Object.values(message.missed).reduce((sum, count) => sum + count, 0);
    this.#count({ missedSlots, lateStarts: message.late_starts });
  }

  /** For the next heartbeat; counters start again. `firstSpool` holds until the agent says more. */
  take(firstSpool: Spool | undefined): Omit<Vitals, 'agentId' | 'sessionId'> {
    const counters = this.#counters;
    this.#counters = { missedSlots: 0, lateStarts: 0 };
    const last = this.#last;
    const spool = last?.spool ?? firstSpool;
    const hasRate = last !== null && last.period_ms >= periodMinMs;
    return {
      ...counters,
      clockOffsetMs: last?.clock_offset_ms ?? null,
      assignments: last?.assignments ?? 0,
      checksPerSecond: hasRate ? Math.round((last.checks * 100_000) / last.period_ms) / 100 : 0,
      queueDepth: last?.queue_depth ?? 0,
      spoolCount: spool?.count ?? 0,
      spoolDropped: spool?.dropped ?? 0,
      spoolFailing: last?.spool.failing ?? false,
    };
  }

  /** Counters whose heartbeat could not be written go into the next one. */
  putBack(counters: Counters): void {
    this.#count(counters);
  }

  /** What an agent counts is bounded, whatever it says. */
  #count({ missedSlots, lateStarts }: Counters): void {
    this.#counters = {
      missedSlots: Math.min(countMax, this.#counters.missedSlots + missedSlots),
      lateStarts: Math.min(countMax, this.#counters.lateStarts + lateStarts),
    };
  }
}
