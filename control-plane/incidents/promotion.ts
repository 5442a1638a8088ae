import type { AlertRow } from '../alerts/store.ts';
import type { Severity } from '../monitors/monitor.ts';
import { impactOf, type UpdatePost } from './incident.ts';
import type { Impact } from './incident-words.ts';

/** What the public will read when an alert becomes an incident. */
export type Promotion = { title: string; severity: Severity; impact: Impact; initialUpdate: UpdatePost };

type Promoted = Pick<AlertRow, 'severity' | 'regions_failing' | 'regions' | 'reason' | 'started_at' | 'resolved_at'>;

const failures: Readonly<Record<string, string>> = {
  dns_failure: 'its name could not be resolved',
  connect_refused: 'the connection was refused',
  connect_timeout: 'no connection could be made in time',
  connection_reset: 'the connection was broken off',
  tls_error: 'the encrypted connection failed',
  timeout: 'no answer came in time',
  too_many_redirects: 'it redirected without end',
  body_too_large: 'its answer was too large',
  blocked_address: 'our checks may not reach its address',
  protocol_error: 'its answer was not valid HTTP',
};

/**
 * Pure: from an alert to public words. Only the monitor's name, counts, times, the kind of the failure and the status code
 * go out: what was expected or got may hold part of an address, a header or a body.
 */
export function draftPromotion(alert: Promoted, monitorName: string, severity: Severity): Promotion {
  const failing = alert.regions_failing.length;
  const regions = alert.regions.length;
  const since = `${new Date(alert.started_at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const until =
    alert.resolved_at === null
      ? ''
      : ` It has answered as expected again since ${new Date(alert.resolved_at).toISOString().slice(0, 19).replace('T', ' ')} UTC.`;
  const body = `Our checks of **${escapeMarkdown(monitorName)}** fail from ${failing} of ${regions} ${regions === 1 ? 'region' : 'regions'} since ${since}: ${failureOf(alert.reason)}.${until} We are investigating.`;
  return {
    title: `${monitorName} is down`.slice(0, 255),
    severity,
    impact: impactOf(severity),
    initialUpdate: { state: 'investigating', body },
  };
}

function failureOf({ error_code, status_code }: AlertRow['reason']): string {
  const known = error_code === null ? undefined : failures[error_code];
  if (known !== undefined) return known;
  if (status_code === null) return 'it does not answer as expected';
  return status_code >= 400
    ? `it answers with HTTP status ${status_code}`
    : `it answers with HTTP status ${status_code}, but not as expected`;
}

/** A name is text, whatever it holds. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>~:@&]/g, '\\$&');
}
