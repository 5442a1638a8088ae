import type { EventWriter } from '../../analytics/events/writer.ts';
import type { AskedChecks } from '../../monitoring/checks/intake/asked-checks.ts';
import type { RecordServices } from '../../monitoring/checks/intake/record.ts';
import type { Recorder } from '../../monitoring/checks/intake/recorder.ts';
import type { Listening } from '../../platform/db/listen.ts';

/**
 * How results and events get from the processes that accept them to the database, and how processes notify each other:
 * by the database alone (`direct.ts`), or with a broker between them (`nats/nats.ts`). Lives as long as the program.
 */
export type Intake = AsyncDisposable & {
  /** Opens what a gateway hands results to. `record` makes what they are stored with, if this process stores them. */
  results(record: () => RecordServices): Recorder;
  /** What the API hands events to; `direct` stores them at once. */
  events(direct: EventWriter): EventWriter;
  /** Opens what a worker stores results and events with that were accepted elsewhere and wait. */
  store(record: (asked: AskedChecks) => RecordServices): AsyncDisposable;
  /** Asks other regions to check at once, after the commit. Never throws: they check at their next slot otherwise. */
  confirm: RecordServices['confirm'];
  /** Calls with what processes are notified of, and with an empty payload when some of it may have been missed. */
  subscribe(listening: Listening): AsyncDisposable;
  /** True while accepted results wait to be judged: no vote may expire for want of them. */
  isBehind(): Promise<boolean>;
  /** Until when all events, or results and signals, are stored that had arrived. */
  storedUntil(kind: 'events' | 'results', nowMs: number): Promise<number>;
  /** True if results and events are accepted for a while also when the database is away. */
  outlivesDatabase: boolean;
};
