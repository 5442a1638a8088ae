import { toTimestamp } from '#shared/clock.ts';
import type { Fields } from '../../../platform/audit/entry.ts';
import { hookFields, sealed } from '../../../platform/audit/sealed.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { openUrl, openWebhookSecrets, type WebhookRow } from './store.ts';

/** A webhook for the audit: what a client sets, its secret as one. */
export function auditWebhook(row: WebhookRow, keyring: Keyring): Fields {
  const [secret = ''] = openWebhookSecrets(row, keyring, 0);
  const untilMs = row.previous_secret_until;
  return {
    ...hookFields(openUrl(row, keyring)),
    kinds: row.kinds,
    alert_kinds: row.alert_kinds,
    enabled: row.enabled,
    secret: sealed(secret),
    previous_secret_until: untilMs === null ? null : toTimestamp(untilMs),
  };
}
