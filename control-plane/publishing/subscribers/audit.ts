import type { Fields } from '../../platform/audit/entry.ts';
import { hookFields, sealed } from '../../platform/audit/sealed.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { openAddress } from './sealed.ts';
import type { SubscriberRow } from './store.ts';

/** A subscriber for the audit. The address and the consent are about a person, whom an entry must not outlive. */
export function auditSubscriber(row: SubscriberRow, keyring: Keyring): Fields {
  const address = openAddress(row, keyring);
  return {
    status_page_id: row.status_page_id,
    channel: row.channel,
    ...(row.channel === 'email' ? { email: sealed(address) } : hookFields(address)),
    component_ids: row.component_ids,
    state: row.state,
    consent: sealed(row.consent),
  };
}
