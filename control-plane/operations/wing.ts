import { dayMs, minuteMs } from '#shared/duration.ts';
import { logFact } from '../platform/facts/log-fact.ts';
import type { Wing } from '../platform/services.ts';
import { watchBacklog, watchSending } from './backlog.ts';
import { deleteDeadLettersBefore } from './intake/nats/dead-letter-store.ts';

/** An agent that repeats what cannot be stored must not fill the disk. */
const deadLettersMax = 10_000;

export const operations = {
  timers: services => [
    { name: 'backlog', everyMs: 10_000, run: () => watchBacklog(services) },
    { name: 'sending', everyMs: minuteMs, run: () => watchSending(services) },
  ],
  retention: () => [
    {
      name: 'intake_parked',
      keepMs: 90 * dayMs,
      run: (sql, beforeMs) => deleteDeadLettersBefore(sql, beforeMs, deadLettersMax),
    },
  ],
  /** When all others have done theirs. */
  onFact: async (_, fact, { log }) => logFact(log, fact),
} satisfies Wing;
