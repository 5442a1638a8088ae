import type pg from 'pg';
import { transaction } from '../../platform/db/transaction.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { resealSlack } from '../transports/slack/installation-store.ts';
import { resealWebhooks } from './webhooks/store.ts';

/** Seals webhooks' URLs and secrets and Slack tokens with the first key of the ring. Returns the number of rows. */
export function resealNotifications(pool: pg.Pool, keyring: Keyring): Promise<{ webhooks: number; slack: number }> {
  return transaction(pool, async sql => ({
    webhooks: await resealWebhooks(sql, keyring),
    slack: await resealSlack(sql, keyring),
  }));
}
