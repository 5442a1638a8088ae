import type { CheckErrorCode } from '#shared/check-result.ts';
import type { Impact, Severity } from '#shared/vocabulary.ts';
import { isVoter } from '#shared/vocabulary.ts';
import type { AlertRow } from '../../monitoring/alerts/store.ts';
import { impactOf, type UpdatePost } from './incident.ts';
import { utcText } from './utc-text.ts';

/** What becomes public when an alert is promoted to an incident. */
export type Promotion = { title: string; severity: Severity; impact: Impact; initialUpdate: UpdatePost };

type PromotedAlert = Pick<AlertRow, 'kind' | 'regions_failing' | 'regions' | 'started_at' | 'resolved_at'> & {
  reason: Pick<AlertRow['reason'], 'error_code' | 'status_code'> & Partial<Pick<AlertRow['reason'], 'expected'>>;
};

const failures = {
  dns_failure: 'the host name could not be resolved',
  connect_refused: 'the connection was refused',
  connect_timeout: 'the connection timed out',
  connection_reset: 'the connection was closed unexpectedly',
  tls_error: 'a secure connection could not be established',
  timeout: 'the server did not respond in time',
  too_many_redirects: 'there were too many redirects',
  body_too_large: 'the response was too large',
  blocked_address: 'the checks are not allowed to reach its address',
  no_record: 'the name server did not give the expected record',
  no_reply: 'there was no reply',
  heartbeat_missed: 'an expected signal did not come',
  heartbeat_failed: 'a job reported a failure',
  run_too_long: 'a job ran too long',
  starttls_refused: 'a secure connection was refused',
  not_serving: 'the service said that it is not serving',
  extract_failed: 'the answer lacked an expected value',
  proxy_failed: 'the way to it failed',
  auth_failed: 'signing in failed',
  not_registered: 'the domain is not registered',
  domain_expired: 'the domain is not registered',
  lookup_failed: 'the registry of the domain could not be asked',
  protocol_error: 'the response was not valid',
} satisfies Record<CheckErrorCode, string>;
const failureTexts: ReadonlyMap<string, string> = new Map(Object.entries(failures));

/**
 * Drafts the public text of an alert. Only the monitor's name, counts, times, the kind of failure and the status code
 * become public: the expected and actual values may hold part of an address, a header or a body.
 */
export function draftPromotion(alert: PromotedAlert, monitorName: string, severity: Severity): Promotion {
  return {
    title: titleOf(alert, monitorName).slice(0, 255),
    severity,
    impact: impactOf(severity),
    initialUpdate: { state: 'investigating', body: bodyOf(alert, monitorName) },
  };
}

function titleOf({ kind }: PromotedAlert, monitorName: string): string {
  return kind === 'certificate' || kind === 'domain'
    ? `The ${kind} of ${monitorName} expires soon`
    : `${monitorName} is ${kind}`;
}

function bodyOf(alert: PromotedAlert, monitorName: string): string {
  const regions = alert.regions.length;
  const isByRegions = !alert.regions.every(isVoter);
  const where = isByRegions
    ? ` in ${alert.regions_failing.length} of ${regions} ${regions === 1 ? 'region' : 'regions'}`
    : '';
  const subject = `Checks of **${escapeMarkdown(monitorName)}**`;
  const failure = failureText(alert.reason);
  const since = utcText(alert.started_at);
  if (alert.kind === 'certificate' || alert.kind === 'domain')
    return `The ${alert.kind} of **${escapeMarkdown(monitorName)}** expires soon. We are renewing it.`;
  if (alert.resolved_at === null)
    return `${subject} have been failing${where} since ${since}: ${failure}. We are investigating.`;
  const failed = `${subject} failed${where} from ${since} to ${utcText(alert.resolved_at)}: ${failure}.`;
  return `${failed} They have passed since then. We are investigating.`;
}

/** What failed, in words that reveal nothing but the kind of failure and the status code. */
export function failureText({ error_code, status_code, expected }: PromotedAlert['reason']): string {
  // No number of events becomes public.
  if (error_code === 'assertion:measured')
    return /^(?:at most|less than) /.test(expected ?? '')
      ? 'more errors than usual'
      : 'fewer successful actions than usual';
  const failure = failureTexts.get(error_code ?? '');
  if (failure !== undefined) return failure;
  if (status_code === null) return 'the response was not as expected';
  return status_code >= 400
    ? `the server responded with HTTP status ${status_code}`
    : `the server responded with HTTP status ${status_code}, but not as expected`;
}

/**
 * What Markdown would read as its own within a sentence: escapes, code, emphasis, strikethrough, the target of a link,
 * addresses in angle brackets and complete ones, entities. Other marks stay: emails and the API show the source.
 */
const markup = [
  /\\(?=[!-/:-@[-`{-~]|$)/,
  /[`*]/,
  /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u,
  /~(?=~)|(?<=~)~/,
  /\](?=\()/,
  /<(?=[^\s<>]+>)/,
  /:(?=\/\/)|(?<=mailto):/,
  /&(?=#?[a-z0-9]+;)/,
];
const escaped = new RegExp(markup.map(({ source }) => source).join('|'), 'giu');

/** Makes a name plain text within a sentence of Markdown, whatever characters it contains. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(escaped, '\\$&');
}
