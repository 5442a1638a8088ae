import type { Alert } from '../../session/api-types.ts';

/** `Got 503 (us-east) · failing in 2 of 3 regions: eu-west, us-east`. */
export function describeReason({ kind, reason, regions_failing, regions }: Alert): string {
  const summary = `${reason.summary.charAt(0).toUpperCase()}${reason.summary.slice(1)}`;
  const source = reason.region === null ? '' : ` (${reason.region})`;
  const count = `${regions_failing.length} of ${regions.length} ${regions.length === 1 ? 'region' : 'regions'}`;
  const found = kind === 'down' ? 'failing' : 'warning or failing';
  return `${summary}${source} · ${found} in ${count}: ${regions_failing.join(', ')}`;
}

/** What maintenance keeps from people; null if nothing. */
export function describeHold({ held, held_since, opened_at, state }: Alert): string | null {
  if (!held) return null;
  const wasNotified = held_since !== null && held_since > opened_at;
  if (state === 'resolved') return wasNotified ? null : 'Resolved during maintenance: nobody was notified';
  return wasNotified ? 'In maintenance: nothing more is sent until it ends' : 'In maintenance: nobody was notified';
}
