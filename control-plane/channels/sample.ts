import type { AlertView } from '../alerts/alert.ts';
import { templateValues } from './adapters/http.ts';
import { messageOf } from './message.ts';
import type { ChannelNotice } from './notice.ts';
import type { TemplateValues } from './template.ts';

const startedAt = '2026-11-22T09:30:00.000Z';

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

const sampleNotice: ChannelNotice = {
  step: 'opened',
  at: Date.parse(startedAt),
  severity: 'p1',
  project: { id: sampleAlert.project_id, name: 'Shop' },
  group: { id: 'agp_sample', cause: null, opened_at: startedAt, resolved_at: null, alerts: 1, unresolved: 1 },
  members: [
    { alert: sampleAlert, monitor: { id: sampleAlert.monitor_id, name: 'Checkout', host: 'shop.example.com' } },
  ],
  joined: 0,
  recovered: 0,
  actor: null,
  title: null,
  lines: [],
};

/** Fills a template when it is stored, so that a mistake shows then and not in the night. */
export const sampleValues: TemplateValues = templateValues(
  messageOf(sampleNotice, 'full', {
    baseUrl: 'https://up.example.com',
    acknowledgeUrl: 'https://up.example.com/ack/a',
  }),
);
