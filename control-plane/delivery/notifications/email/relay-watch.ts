import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import { minuteMs, secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { sqlOf } from '../../../platform/db/sql.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { Metrics } from '../../../platform/http/metrics.ts';
import { warnThrottled } from '../../../platform/resilience/throttled-warning.ts';
import type { HashAddress } from '../../../publishing/subscribers/address-hash.ts';
import type { RelayWatch } from '../../transports/email/send.ts';
import {
  answerHash,
  type Blame,
  blameOf,
  isBurst,
  isCertain,
  type SmtpFailure,
} from '../../transports/email/smtp-answer.ts';
import { replayDelivery } from '../store.ts';
import {
  countRefused,
  forgiveRefusals,
  insertRefusal,
  lockRelay,
  markAccepted,
  markBurst,
  markRelayFailed,
  type Refusal,
} from './relay-store.ts';

export type RelayServices = {
  pool: pg.Pool;
  hashAddress: HashAddress;
  clock: Clock;
  log: Logger;
  metrics: Pick<Metrics, 'emailFailures'>;
};

const noteEveryMs = secondMs;
/** What fails by the first answers of a burst is found within this time. */
const forgivenWithinMs = 10 * minuteMs;

/** All workers judge by what is in the database. Without it, an answer is judged by itself. */
export function createRelayWatch(services: RelayServices): RelayWatch {
  const { pool, clock, log, metrics } = services;
  const warn = warnThrottled(log, 'could not record what the SMTP server answered', {});
  let notedMs = Number.NEGATIVE_INFINITY;
  let hasRefused = false;
  return {
    accepted: startedMs => {
      // Often enough, and always after a refusal here: an accepted email clears the server.
      if (startedMs - notedMs < noteEveryMs && !hasRefused) return;
      [notedMs, hasRefused] = [startedMs, false];
      void markAccepted(sqlOf(pool), startedMs).catch(error => warn(error));
    },
    blame: async (failure, email) => {
      hasRefused = true;
      const judged = await judge(services, failure, email).catch(error => {
        warn(error);
        return blameOf(failure);
      });
      metrics.emailFailures.inc({ blame: judged });
      if (judged === 'relay') log.warn({ error: failure.error }, 'the SMTP server fails; emails are retried');
      return judged;
    },
  };

  async function judge(
    { hashAddress }: RelayServices,
    failure: SmtpFailure,
    { to, deliveryId }: { to: string; deliveryId: string },
  ): Promise<Blame> {
    const nowMs = clock.now();
    const first = blameOf(failure);
    const together = async () => {
      const refusal = { deliveryId, answer: answerHash(failure), recipient: await hashAddress(null, 'email', to) };
      return transaction(pool, sql => joinBurst(sql, refusal, nowMs));
    };
    const isRelay = isCertain(failure) ? first === 'relay' : await together();
    if (isRelay) await markRelayFailed(sqlOf(pool), failure.error, nowMs);
    return isRelay ? 'relay' : first;
  }
}

async function joinBurst(sql: Parameters<typeof lockRelay>[0], refusal: Refusal, nowMs: number): Promise<boolean> {
  const acceptedAt = await lockRelay(sql);
  const refusedAt = await insertRefusal(sql, refusal, nowMs);
  const recipients = await countRefused(sql, refusal.answer, { refusedAt, acceptedAt });
  const isInBurst = isBurst({ recipients, refusedAt, acceptedAt });
  if (isInBurst) await markBurst(sql, refusal.answer, { refusedAt, acceptedAt });
  return isInBurst;
}

/** Sends again what failed by the first answers of a burst, and ends the quarantines that came by it. */
export async function forgiveBurst(pool: pg.Pool, nowMs: number, log: Logger): Promise<void> {
  const forgiven = await transaction(pool, async sql => {
    const taken = await forgiveRefusals(sql, nowMs - forgivenWithinMs, nowMs);
    for (const { id, project_id } of taken) await replayDelivery(sql, project_id, id, nowMs);
    return taken.length;
  });
  if (forgiven > 0) log.warn({ deliveries: forgiven }, 'the SMTP server refused several recipients: sending again');
}
