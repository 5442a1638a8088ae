import { type EarlierCertificate, type TlsDetail, type WireResult, wireLimits } from '#shared/check-result.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { ProbeOutcome } from '../attempt.ts';
import type { TlsFacts } from '../handshake.ts';
import type { SeenCertificate } from '../seen-certificates.ts';

/** What a result says of certificates: those of a way that was gone, and one that was refused. */
export function certificatesOf(outcome: ProbeOutcome, atMs: number): Pick<WireResult, 'tls' | 'refused_tls'> {
  const { tls } = outcome;
  return {
    tls: tls === null ? null : { ...toDetail(tls, atMs), ...wayOf(outcome) },
    ...refusedOf(outcome, atMs),
  };
}

function refusedOf(outcome: ProbeOutcome, atMs: number): Pick<WireResult, 'refused_tls'> {
  const { refusedTls = null, way } = outcome;
  if (refusedTls === null) return {};
  return { refused_tls: { ...toDetail(refusedTls, atMs), ...(way === undefined ? {} : { host: hostText(way.host) }) } };
}

function wayOf({ way }: ProbeOutcome): Pick<TlsDetail, 'host' | 'earlier'> {
  if (way === undefined) return {};
  const earlier = way.earlier.flatMap(toEarlier).slice(0, wireLimits.tlsEarlier);
  return { host: hostText(way.host), ...(earlier.length === 0 ? {} : { earlier }) };
}

function toEarlier({ host, tls }: SeenCertificate): EarlierCertificate[] {
  if (tls.fingerprint === '') return [];
  return [
    {
      host: hostText(host),
      valid_from: toTimestamp(tls.validFromMs),
      valid_to: toTimestamp(tls.validToMs),
      issuer: tls.issuer,
      subject: tls.subject,
      fingerprint_sha256: tls.fingerprint,
    },
  ];
}

function hostText(host: string): string {
  return host.slice(0, wireLimits.tlsHost);
}

function toDetail(tls: TlsFacts, atMs: number): TlsDetail {
  return {
    protocol: tls.protocol,
    valid_to: toTimestamp(tls.validToMs),
    days_left: Math.floor((tls.validToMs - atMs) / dayMs),
    ...(tls.verified === false ? { verified: false } : {}),
    ...(tls.fingerprint === ''
      ? {}
      : {
          valid_from: toTimestamp(tls.validFromMs),
          issuer: tls.issuer,
          subject: tls.subject,
          fingerprint_sha256: tls.fingerprint,
        }),
    ...(tls.alpn === undefined ? {} : { alpn: tls.alpn.slice(0, wireLimits.tlsText) }),
  };
}
