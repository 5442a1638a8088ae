import { toTimestamp } from '#shared/clock.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { maskAddress } from './address.ts';
import { openAddress } from './sealed.ts';
import type { SubscriberRow } from './store.ts';
import type { SubscriberView } from './subscriber.ts';

/** Who knows the URL of a chat can post there: only its origin is shown. A webhook's requests are signed instead. */
function shownUrl(channel: SubscriberRow['channel'], url: string): string {
  return channel === 'webhook' ? url : maskAddress(url);
}

/** The subscriber as the API shows it, with its address but without its secret. */
export function viewSubscriber(row: SubscriberRow, keyring: Keyring): SubscriberView {
  const address = openAddress(row, keyring);
  return {
    id: row.id,
    status_page_id: row.status_page_id,
    channel: row.channel,
    email: row.channel === 'email' ? address : null,
    url: row.channel === 'email' ? null : shownUrl(row.channel, address),
    component_ids: row.component_ids,
    state: row.state,
    state_reason: row.state_reason,
    consent: row.consent,
    failures: row.failures,
    created_at: toTimestamp(row.created_at),
    confirmed_at: row.confirmed_at === null ? null : toTimestamp(row.confirmed_at),
  };
}
