import { type AnswerTable, list } from './page/server.ts';

/** A view of the dashboard, by the first address that shows it. */
export type ViewRow = {
  address: string;
  /** Its heading, once it has loaded. */
  title: string;
  /** Its heading before. */
  before: string;
  /** What it cannot do without; null if it needs nothing. */
  needs: string | null;
  /** Read from its page when the project has one of everything. */
  says: readonly string[];
  /** The answers of a project that has none, and what is said then. */
  empty?: { answers: AnswerTable; says: string };
  /** What a token that may only read is told, or misses. */
  readOnly?: { says?: string; misses: readonly string[] };
};

const none = list([]);
const view = (address: string, title: string, needs: string | null, says: readonly string[], more: object = {}) =>
  ({ address, title, before: title, needs, says, ...more }) as ViewRow;
const empty = (says: string, ...operations: string[]) => ({
  empty: { says, answers: Object.fromEntries(operations.map(operation => [operation, none])) },
});
const readOnly = (misses: readonly string[], says?: string) => ({
  readOnly: { misses, ...(says === undefined ? {} : { says }) },
});
const may = (what: string) => `You do not have permission to ${what}.`;

export const views: readonly ViewRow[] = [
  view('#/overview', 'Overview', 'GET /v0/overview', ['The monitor is up', '1 up', 'Europe is silent'], {
    ...readOnly([]),
  }),
  view('#/monitors', 'Monitors', 'GET /v0/monitors', ['Shop', 'https://shop.example/health', '1 monitor'], {
    ...empty('No monitors yet', 'GET /v0/monitors'),
    ...readOnly(['New monitor']),
  }),
  view('#/monitors/mon_1', 'Shop', 'GET /v0/monitors/{id}', ['every 60 s', 'Latest checks', '90 days', 'P2'], {
    before: 'Monitor',
    ...empty('No matching checks yet.', 'GET /v0/monitors/{id}/checks', 'GET /v0/monitors/{id}/verdicts'),
    ...readOnly(['Check now', 'Pause', 'Edit', 'Delete…']),
  }),
  view('#/monitors/new', 'New monitor', 'GET /v0/regions', ['Target', 'Without assertions, any 2xx status'], {
    ...empty('There are no regions yet.', 'GET /v0/regions'),
    ...readOnly(['Create', 'Dry run'], may('change monitors')),
  }),
  view('#/monitors/mon_1/edit', 'Edit Shop', 'GET /v0/monitors/{id}', ['What would have happened?'], {
    before: 'Edit monitor',
    ...readOnly(['Save'], may('change monitors')),
  }),
  view('#/alerts', 'Alerts', 'GET /v0/alerts', ['1 open alert', 'Shop is down', 'failing in 2 of 3 regions: eu, us'], {
    ...empty('No open alerts', 'GET /v0/alerts'),
    ...readOnly(['Acknowledge Shop is down', 'Create incident from Shop is down']),
  }),
  view('#/alerts/alr_1', 'Shop is down', 'GET /v0/alerts/{id}', ['Expected', 'Why it opened', 'ops@example.com'], {
    before: 'Alert',
    ...empty('No one: no route, Slack channel or webhook matches this alert.', 'GET /v0/alerts/{id}/deliveries'),
    ...readOnly(['Acknowledge Shop is down', 'Create incident from Shop is down']),
  }),
  view('#/alerts/notices', 'Notices', 'GET /v0/notices', ['Europe is silent', 'Silent region'], {
    ...empty('No notices in the last 90 days.', 'GET /v0/notices'),
    ...readOnly([]),
  }),
  view('#/incidents', 'Incidents', 'GET /v0/incidents', ['Shop is down', 'Impact: Major outage', 'Investigating'], {
    ...empty('No incidents yet.', 'GET /v0/incidents'),
    ...readOnly(['New incident']),
  }),
  view('#/incidents/new', 'New incident', 'GET /v0/status-pages', ['First update', 'Nothing to preview yet.'], {
    ...empty('Incidents are published on a status page. Create one first.', 'GET /v0/status-pages'),
    ...readOnly(['Publish'], may('publish incidents')),
  }),
  view('#/incidents/inc_1', 'Shop is down', 'GET /v0/incidents/{id}', ['No components affected.', 'Public page'], {
    before: 'Incident',
    ...empty('No deliveries yet.', 'GET /v0/incidents/{id}/deliveries', 'GET /v0/incidents/{id}/audit'),
    ...readOnly(['Resolve…', 'Publish update', 'Save']),
  }),
  view('#/maintenance', 'Maintenance', 'GET /v0/maintenances', ['Coming', 'Database upgrade', '1 monitor'], {
    ...empty('No maintenance planned', 'GET /v0/maintenances'),
    ...readOnly(['New window']),
  }),
  view('#/maintenance/new', 'New maintenance window', 'GET /v0/monitors', ['What happens', 'When', 'Scope'], {
    ...empty('Choose what the window covers', 'GET /v0/monitors', 'GET /v0/components', 'GET /v0/status-pages'),
    ...readOnly(['Plan maintenance'], may('plan maintenance')),
  }),
  view('#/maintenance/mnt_1', 'Database upgrade', 'GET /v0/maintenances/{id}', ['Does not count', 'Not announced'], {
    before: 'Maintenance window',
    ...empty('Nobody has been notified of this window.', 'GET /v0/maintenances/{id}/deliveries'),
    ...readOnly(['Cancel…', 'Edit', 'Delete…']),
  }),
  view('#/maintenance/mnt_1/edit', 'Edit Database upgrade', 'GET /v0/maintenances/{id}', ['Effects'], {
    before: 'Edit maintenance window',
    ...readOnly(['Save'], may('plan maintenance')),
  }),
  view('#/status-pages', 'Status pages', 'GET /v0/status-pages', ['Acme status', '1 component', 'en · UTC'], {
    ...empty('No status pages yet', 'GET /v0/status-pages'),
    ...readOnly(['New status page']),
  }),
  view('#/status-pages/new', 'New status page', null, ['Public at http://up.example/status/acme.'], {
    ...readOnly(['Create page'], may('create status pages')),
  }),
  view('#/status-pages/sp_1', 'Acme status', 'GET /v0/status-pages/{id}', ['Payments', 'Preview'], {
    before: 'Status page',
    ...empty('No components yet.', 'GET /v0/components'),
    ...readOnly(['New component', 'Edit Payments'], 'Only those who may edit the page can render a preview.'),
  }),
  view('#/status-pages/sp_1?tab=settings', 'Acme status', 'GET /v0/status-pages/{id}', ['Look', 'Language and time'], {
    before: 'Status page',
    ...readOnly(['Save', 'Delete page…'], 'Days of history 90'),
  }),
  view('#/status-pages/sp_1?tab=subscribers', 'Acme status', 'GET /v0/status-pages/{id}', ['ada@example.com'], {
    before: 'Status page',
    ...empty('Nobody has subscribed yet.', 'GET /v0/status-pages/{id}/subscribers'),
    ...readOnly(['Add subscriber', 'Import', 'Remove ada@example.com']),
  }),
  view('#/status-pages/sp_1?tab=embed', 'Acme status', 'GET /v0/status-pages/{id}', ['Badge', 'Feeds'], {
    before: 'Status page',
    ...readOnly([]),
  }),
  view('#/regions', 'Regions', 'GET /v0/regions', ['Europe', '2 of 2', 'eu-1'], {
    ...empty('No regions yet', 'GET /v0/regions', 'GET /v0/agents'),
    ...readOnly(['Register agent', 'Revoke eu-1']),
  }),
  view('#/wall', 'Wall', 'GET /v0/walls', ['Operations room', 'all monitors'], {
    ...empty('No links yet', 'GET /v0/walls'),
    ...readOnly(['New link', 'Revoke Operations room']),
  }),
  view('#/channels', 'Channels and routes', 'GET /v0/channels', ['On call', 'Email · 1 route', 'Production'], {
    ...empty('No channels yet', 'GET /v0/channels', 'GET /v0/routes', 'GET /v0/webhooks'),
    ...readOnly(['New channel', 'New route', 'New webhook…', 'Connect…']),
  }),
  view('#/channels/new', 'New channel', null, ['Email', 'Slack', 'Telegram'], {
    ...readOnly(['Create channel'], may('create channels')),
  }),
  view('#/channels/chn_1', 'On call', 'GET /v0/channels/{id}', ['Last sent never', 'ops@example.com', 'Production'], {
    before: 'Channel',
    ...empty('Nothing has been sent to this channel yet.', 'GET /v0/channels/{id}/deliveries'),
    ...readOnly(['Send a test', 'Edit', 'Delete…']),
  }),
  view('#/channels/chn_1/edit', 'Edit On call', 'GET /v0/channels/{id}', ['One address per line.'], {
    before: 'Edit channel',
    ...readOnly(['Save'], may('change channels')),
  }),
  view('#/channels/routes/new', 'New route', 'GET /v0/channels', ['Which alerts', 'Who is notified', 'Quiet hours'], {
    ...empty('There are no channels yet.', 'GET /v0/channels'),
    ...readOnly(['Create route'], may('change routes')),
  }),
  view('#/channels/routes/rte_1', 'Route Production', 'GET /v0/routes/{id}', ['Also try later routes'], {
    before: 'Route route',
    ...readOnly(['Save', 'Delete…'], may('change routes')),
  }),
  view('#/events', 'Events', 'GET /v0/events/rate', ['Arriving now', 'signed up', '1,440 events stored'], {
    ...empty('No events in the last hour.', 'GET /v0/events'),
    ...readOnly([]),
  }),
  view('#/events/user?id=u1', 'u1', 'GET /v0/users/{id}/timeline', ['1 session, 1 event, 0 errors'], {
    ...empty('No events of this user are stored.', 'GET /v0/users/{id}/timeline'),
    ...readOnly([]),
  }),
  view('#/events/reports', 'Reports', 'GET /v0/reports', ['Every Monday', 'Sign-ups, Buying', '3 items'], {
    ...empty('No reports yet', 'GET /v0/reports'),
    ...readOnly([]),
  }),
  view('#/events/reports/rpt_1', 'Every Monday', 'GET /v0/reports/{id}', ['Trend of the last 30 days', 'Week 1'], {
    before: 'Report',
    ...readOnly(['Delete…', 'Take off']),
  }),
  view('#/events/flows', 'Flows', 'GET /v0/flows', ['Sign-up', '25%', '50 of 200 users, 7 days'], {
    ...empty('No flows yet.', 'GET /v0/flows'),
    ...readOnly(['New flow']),
  }),
  view('#/events/flows/new', 'New flow', 'GET /v0/events', ['Steps', 'Step 1', 'Step 2'], {
    ...readOnly(['Create flow'], may('change flows')),
  }),
  view('#/events/flows/flw_1', 'Sign-up', 'GET /v0/flows/{id}', ['1. signed up', '2. Paid', '25% continue'], {
    before: 'Flow',
    ...readOnly(['Edit', 'Delete…']),
  }),
  view('#/events/flows/flw_1/edit', 'Edit Sign-up', 'GET /v0/flows/{id}', ['Step 2'], {
    before: 'Edit flow',
    ...readOnly(['Save'], may('change flows')),
  }),
  view('#/events/releases', 'Releases', 'GET /v0/releases', ['1.2.0', 'production', 'Hour before'], {
    ...empty('No releases yet.', 'GET /v0/releases'),
    ...readOnly([]),
  }),
  view('#/settings', 'Settings', 'GET /v0/project', ['About this project', 'team'], {
    ...readOnly(['Save'], 'waits 5 s, joins for 120 s'),
  }),
  view('#/settings/limits', 'Limits and retention', 'GET /v0/project', ['How long data is kept', '3 of 100'], {
    ...readOnly([]),
  }),
  view('#/settings/tokens', 'API tokens', 'GET /v0/tokens', ['Terraform', 'this session', 'monitors:write'], {
    ...readOnly(['New token', 'Rotate Terraform', 'Revoke Terraform']),
  }),
  view('#/settings/audit', 'Audit log', 'GET /v0/tokens', ['Monitor updated', 'interval_seconds', 'Terraform'], {
    ...empty('No entries match.', 'GET /v0/audit'),
    ...readOnly([]),
  }),
];
