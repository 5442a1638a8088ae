import { errorMessage } from '#shared/error-message.ts';
import { isVoter } from '#shared/vocabulary.ts';
import { parseOwnResult, parseResult } from '../../../monitoring/checks/intake/accept.ts';
import type { Reported } from '../../../monitoring/checks/intake/prepare.ts';
import { type Recorded, type RecordServices, recordResults } from '../../../monitoring/checks/intake/record.ts';
import type { InSameTransaction } from '../../../monitoring/checks/intake/store-batch.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { commitByBisection, commitWithRetry } from '../../../platform/resilience/commit-retry.ts';
import type { StreamMessage } from './broker.ts';
import { type DeadLetter, deadLetterBody, withDeadLetters } from './dead-letters.ts';
import { decodeResults, UnreadableMessage } from './message.ts';
import { isSuperseded } from './position-store.ts';
import type { Move, SinkServices, StoreMessages } from './sink.ts';
import { processTime } from './time.ts';

export type ResultSinkServices = SinkServices & { record: RecordServices };

/** Records a batch in one transaction with what is given. */
type RecordBatch = (reported: readonly Reported[], nowMs: number, alongside?: InSameTransaction) => Promise<Recorded>;

type Services = SinkServices & { recordBatch: RecordBatch };

/** About a minute of errors that are neither the server's absence nor the data. */
const unknownErrorRetries = 60;
const timeoutRetries = 2;
/** A single result is not to blame for a lock that others hold: some five minutes, then it becomes a dead letter. */
const aloneTimeoutRetries = 60;

/**
 * Results of several messages in one transaction with the position. What the database rejects, or what takes too long
 * three times, is stored message by message, then result by result; what still fails becomes a dead letter, after
 * minutes if a lock is in its way.
 */
export function storeResults(services: ResultSinkServices, stream: string): StoreMessages {
  const recordBatch: RecordBatch = (...batch) => recordResults(services.record, ...batch);
  return storeResultsBy({ ...services, recordBatch }, stream);
}

/** `storeResults` by another way to record. */
export function storeResultsBy(services: Services, stream: string): StoreMessages {
  const storeMessages: StoreMessages = async (messages, move, signal) => {
    const read = messages.map(message => readMessage(stream, message));
    const deadLetters = read.flatMap(message => message.deadLetters);
    const lastSeq = messages.at(-1)?.seq ?? 0;
    const alongside = withDeadLetters(services, 'results', deadLetters, sql => move(sql, lastSeq));
    const reported = read.flatMap(message => message.reported);
    if (await recordWithRetry(services, reported, signal, alongside)) return;
    if (messages.length > 1) for (const message of messages) await storeMessages([message], move, signal);
    else await storeApart(services, { stream, seq: lastSeq, reported, deadLetters }, move, signal);
  };
  return storeMessages;
}

type Apart = { stream: string; seq: number; reported: readonly Reported[]; deadLetters: readonly DeadLetter[] };

/** Results that are stored before the position moves are found stored when they come again. */
async function storeApart(
  services: Services,
  { stream, seq, reported, deadLetters }: Apart,
  move: Move,
  signal: AbortSignal,
): Promise<void> {
  const commit = async (batch: readonly Reported[]) =>
    (await recordWithRetry(services, batch, signal)) ? batch.map(() => true) : null;
  const stored = await commitByBisection(reported, commit, false);
  const rejected = reported.filter((_, index) => stored[index] === false);
  const rest = rejected.map(report => ({ stream, seq, reason: 'rejected', body: deadLetterBody(report) }));
  await commitWithRetry(
    () =>
      transaction(
        services.pool,
        withDeadLetters(services, 'results', [...deadLetters, ...rest], sql => move(sql, seq)),
      ),
    {
      unknownErrorRetries: Number.POSITIVE_INFINITY,
      signal,
      isFinal: isSuperseded,
      onFailure: () => {},
      time: services.time ?? processTime,
    },
  );
}

/** False if the data is to blame. */
async function recordWithRetry(
  services: Services,
  reported: readonly Reported[],
  signal: AbortSignal,
  alongside?: ReturnType<typeof withDeadLetters>,
): Promise<boolean> {
  const outcome = await commitWithRetry(
    async () => {
      const startedAt = performance.now();
      const recorded = await services.recordBatch(reported, services.clock.now(), alongside);
      services.metrics.recordSeconds.observe((performance.now() - startedAt) / 1000);
      return recorded;
    },
    {
      unknownErrorRetries,
      timeoutRetries: reported.length > 1 ? timeoutRetries : aloneTimeoutRetries,
      signal,
      isFinal: isSuperseded,
      time: services.time ?? processTime,
      onFailure: (error, fault) =>
        services.log.error({ err: error, results: reported.length, fault }, 'results could not be stored'),
    },
  );
  if (outcome !== null) count(services, reported.length, outcome);
  return outcome !== null;
}

function count({ metrics }: SinkServices, total: number, { refusals, stored }: Recorded): void {
  const refused = refusals.filter(reason => reason !== null).length;
  metrics.results.inc({ outcome: 'stored' }, stored);
  metrics.results.inc({ outcome: 'refused' }, refused);
  metrics.results.inc({ outcome: 'known' }, total - refused - stored);
}

/** What a message holds, and what of it cannot be read. */
function readMessage(
  stream: string,
  { seq, data }: StreamMessage,
): { reported: Reported[]; deadLetters: DeadLetter[] } {
  try {
    const reported: Reported[] = [];
    const deadLetters: DeadLetter[] = [];
    for (const { results, ...sender } of decodeResults(data))
      for (const value of results) {
        const result = isVoter(sender.region) ? parseOwnResult(value) : parseResult(value);
        if (result === null) deadLetters.push({ stream, seq, reason: 'malformed', body: deadLetterBody(value) });
        else reported.push({ ...sender, result });
      }
    return { reported, deadLetters };
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error;
    return { reported: [], deadLetters: [{ stream, seq, reason: errorMessage(error), body: deadLetterBody(data) }] };
  }
}
