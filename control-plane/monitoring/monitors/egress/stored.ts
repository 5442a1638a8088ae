import { type EgressSettings, wireEgressOf } from './egress.ts';

/** What of an egress is sealed; `proxy` is null without one. */
export type EgressSecrets = { privateKey: string | null; proxy: { password: string | null } | null };

type Stored = Omit<EgressSettings, 'proxy'> & Partial<Pick<EgressSettings, 'proxy'>>;

/** Egress as it is stored: null if all is as usual, and without what is sealed elsewhere. */
export function withoutEgressSecrets(egress: EgressSettings | null | undefined): EgressSettings | null {
  if (wireEgressOf(egress ?? null) === null) return null;
  return withEgressSecrets(egress ?? null, { privateKey: '', proxy: null });
}

export function egressSecretsOf(egress: EgressSettings | null | undefined): EgressSecrets {
  const { client_certificate: pair = null, proxy = null } = egress ?? {};
  return { privateKey: pair?.private_key ?? null, proxy: proxy === null ? null : { password: proxy.password } };
}

/** Egress of a row with what was sealed. Rows of earlier versions say nothing of a proxy. */
export function withEgressSecrets(
  egress: Stored | null,
  { privateKey, proxy: sealed }: Partial<EgressSecrets>,
): EgressSettings | null {
  if (egress === null) return null;
  const { client_certificate: pair, proxy = null } = egress;
  return {
    ...egress,
    client_certificate: pair === null ? null : { ...pair, private_key: privateKey ?? '' },
    proxy: proxy === null ? null : { ...proxy, password: sealed?.password ?? null },
  };
}
