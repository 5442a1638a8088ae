import { formatLabels, parseLabels } from '../../../kit/form/label-text.ts';
import type { Monitor, MonitorPatch, MonitorPost } from '../../../session/api-types.ts';
import { type AssertionDraft, assertionBody, assertionsOf, draftAssertion } from './assertion-draft.ts';
import { type AuthDraft, authBody, draftOfAuth, noAuth, takesAuth } from './connection/auth-draft.ts';
import { draftOfEgress, type EgressDraft, egressBody, usualEgress } from './connection/egress-draft.ts';
import {
  draftOfHttpVersion,
  type HttpVersionDraft,
  httpVersionBody,
  usualHttpVersion,
} from './connection/http-version-draft.ts';
import {
  draftOfKind,
  emptyKindDraft,
  hasCertificate,
  isOfAgents,
  type KindDraft,
  kindBody,
  withoutAgents,
  withoutHttp,
} from './kind-draft.ts';
import { draftOfRules, noRules, type RulesDraft, rulesBody } from './rules-draft.ts';

/** A monitor while it is edited: texts as they stand in the fields. */
export type MonitorDraft = KindDraft &
  AuthDraft &
  EgressDraft &
  HttpVersionDraft & {
    name: string;
    url: string;
    method: Monitor['method'];
    interval: string;
    timeout: string;
    regions: readonly string[];
    quorum: string;
    assertions: readonly AssertionDraft[];
    headers: readonly (readonly [name: string, value: string])[];
    body: string;
    followRedirects: boolean;
    severity: string;
    slackChannel: string;
    escalateAfter: string;
    labels: string;
    componentIds: readonly string[];
    rules: RulesDraft;
  };

export const emptyDraft: MonitorDraft = {
  ...emptyKindDraft,
  ...noAuth,
  ...usualEgress,
  ...usualHttpVersion,
  name: '',
  url: '',
  method: 'GET',
  interval: '30',
  timeout: '',
  regions: [],
  quorum: '',
  assertions: [],
  headers: [],
  body: '',
  followRedirects: true,
  severity: 'p2',
  slackChannel: '',
  escalateAfter: '',
  labels: '',
  componentIds: [],
  rules: noRules,
};

export function draftOf(monitor: Monitor): MonitorDraft {
  const { alert_policy } = monitor;
  return {
    ...draftOfKind(monitor),
    ...draftOfAuth(monitor.auth),
    ...draftOfEgress(monitor),
    ...draftOfHttpVersion(monitor),
    name: monitor.name,
    url: monitor.kind === 'http' ? monitor.url : '',
    method: monitor.method,
    interval: String(monitor.interval_seconds),
    timeout: String(monitor.timeout_ms),
    regions: monitor.regions,
    quorum: String(monitor.quorum),
    assertions: assertionsOf(monitor).map(draftAssertion),
    headers: Object.entries(monitor.headers),
    body: monitor.body ?? '',
    followRedirects: monitor.follow_redirects,
    severity: alert_policy.severity,
    slackChannel: alert_policy.slack_channel ?? '',
    escalateAfter: alert_policy.escalate_after_minutes === null ? '' : String(alert_policy.escalate_after_minutes),
    labels: formatLabels(monitor.labels),
    componentIds: monitor.component_ids,
    rules: draftOfRules(monitor.alert_rules),
  };
}

/** The body of POST; `changesOf` makes that of PATCH from two of them. */
export function settingsOf(draft: MonitorDraft): MonitorPost {
  const settings = {
    name: draft.name.trim(),
    url: draft.url.trim(),
    method: draft.method,
    interval_seconds: numberOrText(draft.interval),
    timeout_ms: numberOrNull(draft.timeout),
    regions: draft.regions,
    quorum: numberOrNull(draft.quorum),
    assertions: draft.assertions.map(assertionBody),
    headers: Object.fromEntries(draft.headers.filter(([name]) => name.trim() !== '')),
    body: draft.body === '' ? null : draft.body,
    follow_redirects: draft.followRedirects,
    alert_policy: {
      severity: draft.severity,
      slack_channel: draft.slackChannel.trim() === '' ? null : draft.slackChannel.trim(),
      escalate_after_minutes: numberOrNull(draft.escalateAfter),
    },
    labels: parseLabels(draft.labels),
    component_ids: draft.componentIds,
    alert_rules: rulesBody(draft.rules),
    auth: takesAuth(draft.kind) ? authBody(draft) : null,
    egress: egressBody(draft, draft.kind),
    http_version: httpVersionBody(draft, draft.kind),
  };
  // What was typed may be no number or no address: the API says so at its field.
  const post = settings as MonitorPost;
  const { certificate, domain, ...others } = settings.alert_rules;
  const rules = {
    ...others,
    certificate: hasCertificate(draft.kind) ? certificate : null,
    ...(draft.kind === 'domain' ? { domain } : {}),
  };
  if (draft.kind === 'http') return { ...post, alert_rules: rules } as MonitorPost;
  const fitting = withoutHttp(draft.kind, post);
  const own = isOfAgents(draft.kind) ? fitting : withoutAgents(fitting, draft);
  return { ...own, ...kindBody(draft), alert_rules: rules } as MonitorPost;
}

/** The settings that differ: what another operator changed meanwhile stays as it is. */
export function changesOf(before: MonitorDraft, after: MonitorDraft): MonitorPatch {
  const old: Record<string, unknown> = settingsOf(before);
  const now: Record<string, unknown> = settingsOf(after);
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => !isEqual(old[name], value)));
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function numberOrNull(text: string): number | string | null {
  return text.trim() === '' ? null : numberOrText(text);
}

function numberOrText(text: string): number | string {
  const value = Number(text.trim());
  return text.trim() === '' || Number.isNaN(value) ? text.trim() : value;
}
