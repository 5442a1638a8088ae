import type { Keyring } from '../../platform/secrets/keyring.ts';

/** The sealed columns of a subscriber. Each value opens only for the id of its row. */
export type SealedSubscriber = {
  id: string;
  sealed_address: Uint8Array;
  sealed_token: Uint8Array;
  /** Null for an email address. */
  sealed_secret: Uint8Array | null;
};

/** Seals with the first key of the ring. */
export function sealSubscriber(
  id: string,
  { address, token, secret }: { address: string; token: string; secret: string | null },
  keyring: Keyring,
) {
  return {
    address: keyring.seal(address, addressContext(id)),
    token: keyring.seal(token, tokenContext(id)),
    secret: secret === null ? null : sealSecret(id, secret, keyring),
  };
}

export function sealSecret(id: string, secret: string, keyring: Keyring) {
  return keyring.seal(secret, secretContext(id));
}

/** The email address or URL. */
export function openAddress(row: Pick<SealedSubscriber, 'id' | 'sealed_address'>, keyring: Keyring): string {
  return keyring.open(row.sealed_address, addressContext(row.id));
}

/** The token of the subscriber's own links. */
export function openToken(row: Pick<SealedSubscriber, 'id' | 'sealed_token'>, keyring: Keyring): string {
  return keyring.open(row.sealed_token, tokenContext(row.id));
}

/** The signing secret of a webhook; null for an email address. */
export function openSecret(row: Pick<SealedSubscriber, 'id' | 'sealed_secret'>, keyring: Keyring): string | null {
  return row.sealed_secret === null ? null : keyring.open(row.sealed_secret, secretContext(row.id));
}

function addressContext(id: string): string {
  return `subscriber address ${id}`;
}

function tokenContext(id: string): string {
  return `subscriber token ${id}`;
}

function secretContext(id: string): string {
  return `subscriber secret ${id}`;
}
