import type { Queries, Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, itemsOf, queryOf, type Session } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { findPage } from '../publishing/find-page.ts';
import { findMonitor } from './find-monitor.ts';
import { stateCell, timeText } from './inks.ts';

type Alert = Schemas['Alert'];
type Query = NonNullable<Queries['listAlerts']>;

const severities = ['p1', 'p2', 'p3'] as const;
const states = ['open', 'acknowledged', 'resolved'] as const;

const list: Command = {
  name: 'alerts list',
  summary: 'List alerts, newest first',
  flags: [
    { name: 'state', value: 'STATE', isMany: true, choices: states, summary: 'in this state; may be repeated' },
    { name: 'severity', value: 'SEVERITY', isMany: true, choices: severities, summary: 'of this severity' },
    { name: 'monitor', value: 'MONITOR', summary: 'of this monitor' },
  ],
  examples: ['upquorum alerts list --state open --state acknowledged'],
  run: async ({ connect, terminal, values, value }) => {
    const session = await connect();
    const named = value('monitor');
    const given = {
      state: values('state'),
      severity: values('severity'),
      monitor_id: named === null ? null : (await findMonitor(session, named)).id,
    };
    const query = Object.fromEntries(
      Object.entries(given).filter(([, one]) => one !== null && one.length > 0),
    ) as Query;
    const data = await itemsOf<Alert>(cursor =>
      session.client.GET('/v0/alerts', { params: { query: queryOf(cursor, query) } }),
    );
    if (terminal.isJson) return terminal.json({ data });
    if (data.length === 0) return terminal.note('No alerts match.');
    terminal.table(
      ['STATE', 'SEVERITY', 'OPENED', 'TITLE', 'REASON', 'ID'],
      data.map(({ state, severity, opened_at, title, reason, id }) => [
        stateCell(state),
        stateCell(severity),
        timeText(opened_at),
        title,
        reason.summary,
        id,
      ]),
    );
  },
};

const get: Command = {
  name: 'alerts get',
  summary: 'Show an alert',
  args: 'ALERT',
  arity: [1, 1],
  notes: ['`upquorum explain ALERT` says why it opened.'],
  run: async ({ connect, terminal, args }) => {
    const { client } = await connect();
    const alert = await dataOf(client.GET('/v0/alerts/{id}', { params: { path: { id: args[0] ?? '' } } }));
    if (terminal.isJson) return terminal.json(alert);
    terminal.fields([
      ['title', alert.title],
      ['id', alert.id],
      ['monitor', alert.monitor_id],
      ['state', stateCell(alert.state)],
      ['severity', stateCell(alert.severity)],
      ['reason', alert.reason.summary],
      ['failing', `${alert.regions_failing.join(', ')} of ${alert.regions.join(', ')}; quorum ${alert.quorum}`],
      ['opened', timeText(alert.opened_at)],
      ['acknowledged', `${timeText(alert.acknowledged_at)} ${alert.acknowledged_by?.name ?? ''}`.trim()],
      ['resolved', timeText(alert.resolved_at)],
      ['incident', alert.incident_id ?? ''],
    ]);
  },
};

const acknowledge: Command = {
  name: 'alerts acknowledge',
  summary: 'Say that somebody takes care: nobody else is notified',
  args: 'ALERT',
  arity: [1, 1],
  run: async ({ connect, terminal, args }) => {
    const { client } = await connect();
    const path = { id: args[0] ?? '' };
    const alert = await dataOf(client.POST('/v0/alerts/{id}/acknowledge', { params: { path } }));
    if (terminal.isJson) terminal.json(alert);
    else terminal.note(`${alert.title} is acknowledged.`);
  },
};

const promote: Command = {
  name: 'alerts promote',
  summary: 'Open an incident on a status page for an alert',
  args: 'ALERT',
  arity: [1, 1],
  flags: [
    { name: 'page', value: 'SLUG|ID', summary: 'the page, if there are several' },
    { name: 'severity', value: 'SEVERITY', choices: severities, summary: 'of the incident' },
  ],
  run: async ({ connect, terminal, args, value }) => {
    const session = await connect();
    const incident = await dataOf(
      session.client.POST('/v0/alerts/{alert_id}/promote', {
        params: { path: { alert_id: args[0] ?? '' } },
        body: await promotionOf(session, value('page'), value('severity')),
      }),
    );
    if (terminal.isJson) terminal.json(incident);
    else terminal.line(`${incident.id}  ${incident.url}`);
  },
};

async function promotionOf(
  session: Session,
  page: string | null,
  severity: string | null,
): Promise<Schemas['PromoteAlertRequest']> {
  return {
    ...(page === null ? {} : { status_page_id: (await findPage(session, page)).id }),
    ...(severity === null ? {} : { severity: severity as 'p1' | 'p2' | 'p3' }),
  };
}

export const alertCommands: readonly Command[] = [list, get, acknowledge, promote];
