import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { ChannelRow } from '../store.ts';
import { channelTypes } from '../types/registry.ts';

/** A channel's configuration as it is stored. */
export function sealConfig(id: string, config: unknown, keyring: Keyring): Uint8Array {
  return keyring.seal(JSON.stringify(config), configContext(id));
}

/** The configuration with its secrets; fields that came later have their defaults. */
export function openConfig(
  row: Pick<ChannelRow, 'id' | 'type' | 'sealed_config'>,
  keyring: Keyring,
): Readonly<Record<string, unknown>> {
  const stored: unknown = JSON.parse(keyring.open(row.sealed_config, configContext(row.id)));
  return channelTypes[row.type].schema.parse(stored);
}

/** The same configuration, sealed with the first key of the ring. */
export function resealConfig(row: Pick<ChannelRow, 'id' | 'sealed_config'>, keyring: Keyring): Uint8Array {
  return keyring.seal(keyring.open(row.sealed_config, configContext(row.id)), configContext(row.id));
}

export function sealChannelSecret(id: string, secret: string, keyring: Keyring): Uint8Array {
  return keyring.seal(secret, secretContext(id));
}

/** What signs the messages of a webhook; null for other types. */
export function openChannelSecret(row: Pick<ChannelRow, 'id' | 'sealed_secret'>, keyring: Keyring): string | null {
  return row.sealed_secret === null ? null : keyring.open(row.sealed_secret, secretContext(row.id));
}

function configContext(id: string): string {
  return `channel config ${id}`;
}

function secretContext(id: string): string {
  return `channel secret ${id}`;
}
