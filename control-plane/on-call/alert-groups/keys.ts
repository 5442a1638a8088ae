import { isVoter } from '#shared/vocabulary.ts';
import { mostUrgent } from '../../monitoring/certificates/certificate.ts';
import type { ResultDetail } from '../../monitoring/checks/result.ts';
import { failureReason } from '../../monitoring/checks/storage/failure-reason.ts';

/**
 * The newest failed result of a region, or the newest one with a certificate. `warnOn`: indexes of the assertions that
 * only warn in its version.
 */
export type RegionFailure = {
  region: string;
  warnOn?: readonly number[];
  detail: Pick<ResultDetail, 'error' | 'assertions' | 'remote_ip' | 'tls' | 'facts'>;
};

/** What a key is about. */
type KeyType = 'certificate' | 'address' | 'host' | 'region';

/** What alerts can have in common, as the API shows it. */
export type Cause = { type: KeyType; value: string; error_code: string | null };

/**
 * The keys of an alert, in the order in which they are tried: the certificate that its regions saw, the address that
 * failed, the host that it failed at, and the regions that fail if others do not, each with the kind of failure. None
 * of monitors that no agent checks: their alerts are alone.
 */
export function keysOf(
  alert: { kind: string; regionsFailing: readonly string[]; regions: readonly string[] },
  url: string,
  failures: readonly RegionFailure[],
): string[] {
  if (alert.regions.length > 0 && alert.regions.every(isVoter)) return [];
  const keys = new Set<string>();
  const add = (type: KeyType, value: string, code: string | null) =>
    keys.add(keyText({ type, value, error_code: code }));
  for (const { detail } of failures) {
    const fingerprint = mostUrgent(detail, 0)?.certificate.fingerprint_sha256;
    if (alert.kind === 'certificate' && fingerprint !== undefined) add('certificate', fingerprint, null);
  }
  if (alert.kind === 'certificate') return [...keys];
  const ofUrl = hostOf(url);
  const coded = failures.map(({ region, detail, warnOn = [] }) => ({
    region,
    address: detail.remote_ip,
    host: detail.error?.host ?? ofUrl,
    code: failureReason({ ...detail, warnOn }),
  }));
  for (const { address, code } of coded) if (address !== null) add('address', address, code);
  for (const { host, code } of coded) if (host !== null) add('host', host, code);
  const failing = alert.regionsFailing.toSorted();
  if (failing.length < alert.regions.length) for (const { code } of coded) add('region', failing.join(','), code);
  return [...keys];
}

/** The ports that a URL may leave out, by scheme; a ping has none. */
const usualPorts: Readonly<Record<string, string>> = {
  'https:': ':443',
  'http:': ':80',
  'wss:': ':443',
  'ws:': ':80',
  'dns:': ':53',
};

/** With its port, which tells services of one host apart. */
export function hostOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, protocol } = new URL(url);
  if (hostname === '' || protocol === 'events:') return null;
  return `${hostname.toLowerCase()}${port === '' ? (usualPorts[protocol] ?? '') : `:${port}`}`;
}

function keyText({ type, value, error_code }: Cause): string {
  return JSON.stringify([type, value, error_code]);
}

/** What a key says. */
export function causeOf(key: string): Cause {
  const [type, value, error_code] = JSON.parse(key) as [KeyType, string, string | null];
  return { type, value, error_code };
}

/** A group that an alert could join, with the keys that it must share one of: all of its first alert, or its cause. */
export type Candidate = { id: string; keys: readonly string[] };

/** Pure: the oldest group that shares a key of the alert, the keys tried in their order; null: it is alone. */
export function chooseGroup(
  keys: readonly string[],
  oldestFirst: readonly Candidate[],
): { id: string; key: string } | null {
  for (const key of keys) {
    const found = oldestFirst.find(candidate => candidate.keys.includes(key));
    if (found !== undefined) return { id: found.id, key };
  }
  return null;
}
