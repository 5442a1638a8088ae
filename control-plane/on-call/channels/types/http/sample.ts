import type { AlertView } from '../../../../monitoring/alerts/alert.ts';

import { type Message, messageOf } from '../../message.ts';
import { type ChannelNotice, type NoticeStep, noticeSteps } from '../../notice.ts';
import type { TemplateValues } from './template.ts';
import { templateValues } from './template-values.ts';

const startedAt = '2026-11-22T09:30:00.000Z';
const links = { baseUrl: 'https://up.example.com', acknowledgeUrl: 'https://up.example.com/ack/a' };
const unsaid = { actor: null, title: null, lines: [] };

/** An alert as every channel may get one; what it says reaches nobody. */
export const sampleAlert: AlertView = {
  id: 'alt_01kag3m5x0000000000000sample',
  project_id: 'proj_01kag3m5x000000000000sample',
  monitor_id: 'mon_01kag3m5x0000000000000sample',
  kind: 'down',
  title: 'Checkout is down',
  severity: 'p1',
  state: 'open',
  regions_failing: ['eu-west', 'us-east'],
  regions: ['eu-west', 'us-east', 'ap-south'],
  quorum: 2,
  reason: {
    summary: 'expected 200, got 503',
    region: 'eu-west',
    expected: '200',
    actual: '503',
    status_code: 503,
    error_code: null,
    phase: null,
    host: null,
    step: null,
    diagnosis: null,
  },
  labels: { env: 'prod', team: 'checkout' },
  started_at: startedAt,
  opened_at: startedAt,
  rules_version: null,
  held: false,
  held_since: null,
  released_at: null,
  flapping_since: null,
  last_seen_at: startedAt,
  acknowledged_at: null,
  acknowledged_by: null,
  escalated_at: null,
  resolved_at: null,
  superseded_by: null,
  group_id: null,
  incident_id: null,
  created_at: startedAt,
};

/** Everything there that an alert may have. */
const fullAlert: AlertView = {
  ...sampleAlert,
  kind: 'certificate',
  state: 'resolved',
  reason: { ...sampleAlert.reason, error_code: 'timeout' },
  rules_version: 2,
  held_since: startedAt,
  released_at: startedAt,
  flapping_since: startedAt,
  acknowledged_at: startedAt,
  acknowledged_by: { type: 'slack', id: 'U012345', name: 'ada' },
  escalated_at: startedAt,
  resolved_at: startedAt,
  superseded_by: 'alt_01kag3m5x0000000000000other',
  group_id: 'agp_sample',
  incident_id: 'inc_01kag3m5x0000000000000sample',
};

/** Nothing there that an alert need not have. */
const bareAlert: AlertView = {
  ...sampleAlert,
  kind: 'degraded',
  regions_failing: [],
  reason: {
    summary: '',
    region: null,
    expected: null,
    actual: null,
    status_code: null,
    error_code: null,
    phase: null,
    host: null,
    step: null,
    diagnosis: null,
  },
  labels: {},
};

const group = { id: 'agp_sample', cause: null, opened_at: startedAt, resolved_at: null, alerts: 1, unresolved: 1 };
const cause = { type: 'address', value: '192.0.2.1', error_code: 'timeout' };

/** What a message may be about: one alert, several, or none. */
const subjects: readonly Pick<ChannelNotice, 'group' | 'members' | 'actor' | 'title' | 'lines'>[] = [
  ...[sampleAlert, fullAlert, bareAlert].map(alert => ({ group, members: [memberOf(alert)], ...unsaid })),
  {
    group: { ...group, cause, resolved_at: startedAt, alerts: 3, unresolved: 0 },
    members: [sampleAlert, fullAlert, bareAlert].map(memberOf),
    ...unsaid,
    actor: 'ada',
  },
  { group: null, members: [], actor: null, title: 'Region eu-west is silent', lines: ['1 monitor is affected'] },
];

/** Every kind of message that a channel may get, with and without what each may have. */
export const sampleMessages: readonly Message[] = noticeSteps.flatMap(step =>
  subjects.flatMap(subject =>
    (['full', 'brief'] as const).map(detail => messageOf(noticeOf(step, subject), detail, links)),
  ),
);

/** Fills a template when it is stored, so that a mistake shows then and not in the night. */
export const sampleValues: readonly TemplateValues[] = sampleMessages.map(templateValues);

function memberOf(alert: AlertView) {
  return { alert, monitor: { id: alert.monitor_id, name: 'Checkout', host: 'shop.example.com' } };
}

function noticeOf(step: NoticeStep, subject: (typeof subjects)[number]): ChannelNotice {
  const project = { id: sampleAlert.project_id, name: 'Shop' };
  return { step, at: Date.parse(startedAt), severity: 'p1', project, joined: 1, recovered: 1, ...subject };
}
