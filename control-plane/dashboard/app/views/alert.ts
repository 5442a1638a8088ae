import type { Alert } from '../data/api-types.ts';
import { createAction, problemNote } from '../dom/action.ts';
import { type Content, type Description, element } from '../dom/element.ts';
import { alertActions } from '../parts/alert-actions.ts';
import { badge } from '../parts/badge.ts';
import { presentation } from '../parts/labels.ts';
import { createPromoteDialog } from '../parts/promote-dialog.ts';
import { ago, at } from '../parts/time.ts';
import type { Parameters, View, ViewContext, ViewDefinition } from '../view.ts';

export const alert: ViewDefinition = { pattern: '#/alerts/{id}', open };

function open(context: ViewContext, parameters: Parameters): View {
  const action = createAction(context.redraw);
  const dialog = createPromoteDialog(context);
  let current: Alert | null = null;
  let monitorName: string | null = null;
  const onChange = (changed: Alert) => {
    current = changed;
  };

  return {
    title: () => current?.title ?? 'Alert',
    intervalMs: () => 4000,
    load: async () => {
      const before = current?.state;
      current = await context.api.get<Alert>(`/v0/alerts/${parameters.id}`);
      monitorName ??= await readMonitorName(context, current.monitor_id);
      if (before !== undefined && before !== current.state) context.announce(`${current.title}: ${current.state}`);
    },
    render: () => {
      if (current === null) return null;
      const buttons = alertActions(current, context, { action, promote: dialog.open, onChange });
      const facts = renderFacts(current, monitorName ?? current.monitor_id, context.api.nowMs());
      return [dialog.render(), renderAlert(current, facts, buttons, problemNote(action.problem))];
    },
  };
}

/** The id instead of the name if the monitor was deleted or the token may not read it. */
async function readMonitorName(context: ViewContext, monitorId: string): Promise<string> {
  if (!context.can('monitors:read')) return monitorId;
  return context.api.get<{ name: string }>(`/v0/monitors/${monitorId}`).then(
    ({ name }) => name,
    () => monitorId,
  );
}

function renderAlert(alert: Alert, facts: Content, buttons: Content, problem: Content): Description {
  const state = presentation('alerts', alert.state);
  return element(
    'section',
    { class: `card alert-head ${state.tone}` },
    element('div', { class: 'state' }, badge(state), badge(presentation('severities', alert.severity))),
    facts,
    element('div', { class: 'buttons' }, buttons),
    problem,
  );
}

export function renderFacts(alert: Alert, monitorName: string, nowMs: number): Description {
  const fact = (name: string, ...value: Content[]): Content => [element('dt', {}, name), element('dd', {}, value)];
  const moment = (name: string, timestamp: string | null): Content =>
    timestamp !== null && fact(name, at(timestamp), ', ', ago(timestamp, nowMs));
  const monitor = element('a', { href: `#/monitors/${alert.monitor_id}` }, monitorName);
  const { reason, regions, regions_failing, quorum } = alert;
  const code = (text: string) => element('code', {}, text);
  return element(
    'dl',
    { class: 'facts' },
    fact('Reason', reason.summary, reason.region !== null && ` (reported by ${reason.region})`),
    reason.expected !== null && [
      fact('Expected', code(reason.expected)),
      fact('Actual', code(reason.actual ?? 'nothing')),
    ],
    reason.status_code !== null && fact('Status code', reason.status_code),
    reason.error_code !== null && fact('Error code', code(reason.error_code)),
    fact('Failing regions', `${regions_failing.join(', ')} (of ${regions.join(', ')}; quorum ${quorum})`),
    fact('Monitor', monitor),
    moment('Started', alert.started_at),
    moment('Last seen', alert.last_seen_at),
    moment('Acknowledged', alert.acknowledged_at),
    moment('Escalated', alert.escalated_at),
    moment('Resolved', alert.resolved_at),
  );
}
