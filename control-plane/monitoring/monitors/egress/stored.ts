import { type EgressSettings, wireEgressOf } from './egress.ts';

/** Egress as it is stored: null if all is as usual, and without the private key, which is sealed elsewhere. */
export function withoutPrivateKey(egress: EgressSettings | null | undefined): EgressSettings | null {
  return wireEgressOf(egress ?? null) === null ? null : withPrivateKey(egress ?? null, '');
}

/** The private key; null without a client certificate. */
export function privateKeyOf(egress: EgressSettings | null | undefined): string | null {
  return egress?.client_certificate?.private_key ?? null;
}

/** Egress of a row with the key that was sealed. */
export function withPrivateKey(egress: EgressSettings | null, key: string | null): EgressSettings | null {
  const pair = egress?.client_certificate ?? null;
  if (egress === null || pair === null) return egress;
  return { ...egress, client_certificate: { ...pair, private_key: key ?? '' } };
}
