import { toTimestamp } from '#shared/clock.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { openChannelAddress } from './addresses/address-store.ts';
import type { ChannelView } from './channel.ts';
import { maskConfig } from './config.ts';
import { openConfig } from './secrets/sealed.ts';
import type { ChannelRow } from './store.ts';

/** A channel as the API shows it, without its secrets. */
export function viewChannel(row: ChannelRow, keyring: Keyring): ChannelView {
  return {
    id: row.id,
    project_id: row.project_id,
    key: null,
    managed_by: null,
    name: row.name,
    type: row.type,
    config: maskConfig(row.type, openConfig(row, keyring)),
    detail: row.detail,
    enabled: row.enabled,
    state: row.failing_since !== null ? 'failing' : row.unconfirmed_ids.length > 0 ? 'unverified' : 'ok',
    unconfirmed: unconfirmedOf(row, keyring),
    last_sent_at: row.last_sent_at === null ? null : toTimestamp(row.last_sent_at),
    last_error: row.last_error,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

function unconfirmedOf({ unconfirmed_ids, unconfirmed_addresses }: ChannelRow, keyring: Keyring): string[] {
  return unconfirmed_ids.flatMap((id, index) => {
    const sealed = unconfirmed_addresses[index];
    return sealed === undefined ? [] : [openChannelAddress({ id, sealed_address: sealed }, keyring)];
  });
}
