import type { Clock } from '#shared/clock.ts';
import { minuteMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { createGroupCommit, partitionOf } from '../../../platform/db/group-commit.ts';
import type { Metrics } from '../../../platform/http/metrics.ts';
import { commitByBisection, commitWithRetry } from '../../../platform/resilience/commit-retry.ts';
import { warnThrottled } from '../../../platform/resilience/throttled-warning.ts';
import { parseResult, type RefusalReason, salvageResult } from './accept.ts';
import { ExpiringSet } from './expiring-set.ts';
import type { Reported } from './prepare.ts';
import { type RecordServices, recordResults } from './record.ts';
import { weightOf } from './weight.ts';

/** Stores the results of all sessions in group commits. It lives as long as the program and ends with `stop`. */
export type Recorder = {
  /**
   * Resolves after the commit: null for a result that is stored, now or before, else why it is refused. It waits while
   * the database is unreachable and rejects only when the recorder stops. Agents are served in turn.
   */
  record(sender: Sender, reported: readonly Reported[]): Promise<(RefusalReason | null)[]>;
  /**
   * The same for results as an agent sent them, of whatever form. Those that do not parse are `malformed`; a fault of
   * the probe is stored in their place, so that a monitor does not go silent without a word.
   */
  recordReported(sender: Sender, results: readonly unknown[]): Promise<(RefusalReason | null)[]>;
  /** True if the agent's session should stop reading until `drained`. */
  full(agentId: string): boolean;
  drained(agentId: string): Promise<void>;
  /**
   * How long the oldest result that is not committed has waited, in milliseconds. Those that are stored apart do not
   * count: an agent whose results cannot be stored must not take a replica out of service.
   */
  waitingMs(): number;
  /** Commits what is queued within the given time, then refuses the rest: agents still have it in their spools. */
  stop(withinMs: number): Promise<void>;
};

/** The agent whose session the results came through, and its region. */
export type Sender = { agentId: string; region: string; isPrivate: boolean };

type Outcome = RefusalReason | null;

const batchMax = 1000;
const queuedMax = 20_000;
/** Of one agent: eight messages, if their monitors are spread evenly. */
const queuedPerAgentMax = 4000;
/** Commits side by side, each of its own monitors: two that lock the same ones would only wait for each other. */
const partitions = 3;
/** About a minute of errors that are neither the server's absence nor the data. */
const unknownErrorRetries = 60;
/** A batch that took too long three times is divided; a single result, apart, waits for as long as it takes. */
const timeoutRetries = 2;
const blameMs = 10 * minuteMs;

type RecorderServices = RecordServices & { clock: Clock; log: Logger; metrics: Metrics };
/** With a limit to what is logged of failures: an agent whose results the database rejects must not fill the log. */
type QueueServices = RecorderServices & { complain: ReturnType<typeof warnThrottled> };

export function createRecorder(services: RecorderServices): Recorder {
  const { metrics, log } = services;
  // Prometheus sees that nothing is stored only if there is a zero to begin with.
  metrics.results.inc({ outcome: 'stored' }, 0);
  const ownServices = (): QueueServices => {
    const errors = { warn: log.error.bind(log) as Logger['warn'] };
    return { ...services, complain: warnThrottled(errors, 'results could not be stored', {}) };
  };
  const [servicesTogether, servicesApart] = [ownServices(), ownServices()];
  const blamed = new ExpiringSet(blameMs);
  const warned = new ExpiringSet(minuteMs);
  const shared = { batchMax, concurrency: 1, weightOf, refusal: () => new Error('the recorder is stopping') };
  const timed = async (work: () => Promise<readonly (Outcome | Promise<Outcome>)[]>) => {
    const startedAt = performance.now();
    const outcomes = await work();
    metrics.recordSeconds.observe((performance.now() - startedAt) / 1000);
    return outcomes;
  };
  /** One agent's results at a time, those of agents whose results could not be stored: they delay only each other. */
  const apart = createGroupCommit<Reported, Outcome>({
    ...shared,
    queuedMax,
    queuedPerKeyMax: queuedPerAgentMax,
    commit: (reported, signal) => timed(() => recordEach(servicesApart, reported, signal)),
  });
  const together = createGroupCommit<Reported, Outcome>({
    ...shared,
    queuedMax: queuedMax / partitions,
    queuedPerKeyMax: queuedPerAgentMax / partitions,
    partitions: { count: partitions, ofItem: ({ result }) => partitionOf(result.monitor_id, partitions) },
    commit: (reported, signal) =>
      timed(async () => {
        const outcomes = await recordWithRetry(servicesTogether, reported, signal, timeoutRetries);
        if (outcomes !== null) return outcomes;
        return divide(reported, async (agentId, results) => {
          const outcomes = await recordWithRetry(servicesTogether, results, signal, 0);
          if (outcomes !== null) return outcomes;
          log.warn({ agent: agentId }, 'results of an agent cannot be stored: they are stored apart from now on');
          blamed.add(agentId, performance.now());
          const later = apart.add(results, agentId);
          return results.map((_, index) => later.then(outcomes => outcomes[index] ?? null));
        });
      }),
    onQueued: count => metrics.queue.set(count),
  });
  const queueOf = (agentId: string) => (blamed.has(agentId, performance.now()) ? apart : together);
  const record: Recorder['record'] = ({ agentId }, reported) => queueOf(agentId).add(reported, agentId);
  return {
    record,
    recordReported: async (sender, results) => {
      const refusals = await recordParsed(record, sender, results);
      warnOfMalformed({ metrics, log, warned }, sender, refusals);
      return refusals;
    },
    full: agentId => queueOf(agentId).full(1, agentId),
    drained: agentId => queueOf(agentId).drained(agentId),
    waitingMs: together.waitingMs,
    stop: async withinMs => {
      await Promise.all([together.stop(withinMs), apart.stop(withinMs)]);
    },
  };
}

/** Counts malformed results; one warning a minute for each agent. */
export function warnOfMalformed(
  { metrics, log, warned }: { metrics: Metrics; log: Logger; warned: ExpiringSet },
  { agentId, region }: Sender,
  refusals: readonly Outcome[],
): void {
  const results = refusals.filter(refusal => refusal === 'malformed').length;
  if (results === 0) return;
  metrics.results.inc({ outcome: 'malformed' }, results);
  if (warned.has(agentId, performance.now())) return;
  warned.add(agentId, performance.now());
  log.warn({ agent: agentId, region, results }, 'results of an agent are malformed and were not stored as they are');
}

/** Records what parses and puts its refusals back at the indexes they came from. */
export async function recordParsed(
  record: Recorder['record'],
  sender: Sender,
  results: readonly unknown[],
): Promise<(RefusalReason | null)[]> {
  const parsed = results.map(value => {
    const result = parseResult(value);
    return { result: result ?? salvageResult(value), isMalformed: result === null };
  });
  const { agentId, region, isPrivate } = sender;
  const reported = parsed.flatMap(({ result }) => (result === null ? [] : [{ result, agentId, region, isPrivate }]));
  const refusals = reported.length === 0 ? [] : await record(sender, reported);
  let index = 0;
  return parsed.map(({ result, isMalformed }) => {
    const refusal = result === null ? null : (refusals[index++] ?? null);
    return isMalformed ? 'malformed' : refusal;
  });
}

/** Handles each agent’s part of a batch by itself, in turn, and returns the outcomes in the order of the batch. */
async function divide(
  reported: readonly Reported[],
  handle: (agentId: string, part: readonly Reported[]) => Promise<readonly (Outcome | Promise<Outcome>)[]>,
): Promise<(Outcome | Promise<Outcome>)[]> {
  const indexes = Map.groupBy(reported.keys(), index => reported[index]?.agentId ?? '');
  const outcomes: (Outcome | Promise<Outcome>)[] = Array.from(reported, () => null);
  for (const [agentId, own] of indexes) {
    const part = await handle(
      agentId,
      own.flatMap(index => reported[index] ?? []),
    );
    for (const [inPart, index] of own.entries()) outcomes[index] = part[inPart] ?? null;
  }
  return outcomes;
}

/** Agent by agent; what PostgreSQL rejects is bisected, so that only the bad result is refused. */
function recordEach(services: QueueServices, reported: readonly Reported[], signal: AbortSignal) {
  const commit = (batch: readonly Reported[]) =>
    recordWithRetry(services, batch, signal, batch.length > 1 ? timeoutRetries : Number.POSITIVE_INFINITY);
  return divide(reported, (_, part) => commitByBisection(part, commit, 'malformed' as const));
}

/**
 * Retries until the batch is committed. Null if PostgreSQL rejects the data, if the batch takes too long again and
 * again, or after a minute of errors that are neither the server's absence nor the data.
 */
function recordWithRetry(
  services: QueueServices,
  batch: readonly Reported[],
  signal: AbortSignal,
  retries: number,
): Promise<Outcome[] | null> {
  return commitWithRetry(() => recordOnce(services, batch), {
    unknownErrorRetries,
    timeoutRetries: retries,
    blamesDefects: batch.length > 1,
    signal,
    onFailure: (error, fault) => services.complain(error, { results: batch.length, fault }),
  });
}

async function recordOnce(
  services: RecorderServices,
  reported: readonly Reported[],
): Promise<(RefusalReason | null)[]> {
  const { refusals, stored } = await recordResults(services, reported, services.clock.now());
  services.metrics.commits.mark('results');
  const refused = refusals.filter(reason => reason !== null).length;
  services.metrics.results.inc({ outcome: 'stored' }, stored);
  services.metrics.results.inc({ outcome: 'refused' }, refused);
  services.metrics.results.inc({ outcome: 'known' }, reported.length - refused - stored);
  return refusals;
}
