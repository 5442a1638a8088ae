import { registrableOf } from '../../../../control-plane/monitoring/rdap/registrable.ts';
import type { Item } from '../imported.ts';

/** Names of networks of one's own, and those that nobody can register. */
const unregistered = /\.(?:local|localhost|lan|home|internal|intranet|corp|private|arpa|test|invalid|onion)$/i;
const [daysMin, daysMax, thresholdsMax] = [1, 365, 5];

/** A monitor of the domain that a host is under; null if no registry knows one. */
export function domainItem(host: string, name: string, daysLeft: readonly number[]): Item | null {
  const registrable = unregistered.test(host) ? null : registrableOf(host.replace(/^\[|\]$/g, ''));
  if (registrable === null) return null;
  const days = [...new Set(daysLeft.map(each => Math.min(daysMax, Math.max(daysMin, each))))];
  const thresholds = days
    .toSorted((left, right) => right - left)
    .slice(0, thresholdsMax)
    .map(days_left => ({ days_left, severity: 'p2' }));
  return {
    name,
    kind: 'domain',
    url: `domain://${registrable}`,
    ...(thresholds.length === 0 ? {} : { alert_rules: { domain: { thresholds } } }),
  };
}

/** The host of a URL or of `host:port`; empty if there is none. */
export function hostOf(target: string): string {
  const url = target.includes('://') ? target : `tcp://${target}`;
  return URL.canParse(url) ? new URL(url).hostname : '';
}
