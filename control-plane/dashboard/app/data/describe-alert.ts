import type { Alert } from './api-types.ts';

/** `Got 503 (us-east) · failing in 2 of 3 regions: eu-west, us-east`. */
export function describeReason({ reason, regions_failing, regions }: Alert): string {
  const summary = `${reason.summary.charAt(0).toUpperCase()}${reason.summary.slice(1)}`;
  const source = reason.region === null ? '' : ` (${reason.region})`;
  const count = `${regions_failing.length} of ${regions.length} ${regions.length === 1 ? 'region' : 'regions'}`;
  return `${summary}${source} · failing in ${count}: ${regions_failing.join(', ')}`;
}
