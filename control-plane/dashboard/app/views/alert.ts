import { createAction, problemNote } from '../action.ts';
import { alertActions } from '../alert-actions.ts';
import { badge } from '../badge.ts';
import { type Content, element } from '../element.ts';
import { createPromoteDialog } from '../promote-dialog.ts';
import type { Alert } from '../shapes.ts';
import { ago, at } from '../time.ts';
import type { Place, View, ViewDefinition } from '../view.ts';
import { lookOf } from '../words.ts';

export const alert: ViewDefinition = { pattern: '#/alerts/{id}', open };

function open(place: Place, parameters: Readonly<Record<string, string>>): View {
  const action = createAction(place.redraw);
  const promote = createPromoteDialog(place);
  let shown: Alert | null = null;
  let monitorName: string | null = null;

  const facts = (current: Alert): Content => {
    const { reason } = current;
    const fact = (name: string, ...value: Content[]): Content => [element('dt', {}, name), element('dd', {}, value)];
    const moment = (name: string, timestamp: string | null): Content =>
      timestamp !== null && fact(name, at(timestamp), ', ', ago(timestamp, place.api.nowMs()));
    return element(
      'dl',
      { class: 'facts' },
      fact('What failed', reason.summary, reason.region !== null && ` (seen from ${reason.region})`),
      reason.expected !== null && fact('Expected', element('code', {}, reason.expected)),
      reason.expected !== null && fact('Actual', element('code', {}, reason.actual ?? 'nothing')),
      reason.status_code !== null && fact('Status code', reason.status_code),
      reason.error_code !== null && fact('Error', element('code', {}, reason.error_code)),
      fact(
        'Regions',
        `${current.regions_failing.join(', ')} failed, of ${current.regions.join(', ')}; quorum ${current.quorum}`,
      ),
      fact('Monitor', element('a', { href: `#/monitors/${current.monitor_id}` }, monitorName ?? current.monitor_id)),
      moment('Began', current.started_at),
      moment('Last seen', current.last_seen_at),
      moment('Acknowledged', current.acknowledged_at),
      moment('Escalated', current.escalated_at),
      moment('Resolved', current.resolved_at),
    );
  };

  return {
    title: () => shown?.title ?? 'Alert',
    everyMs: () => 4000,
    load: async () => {
      const before = shown?.state;
      shown = await place.api.get<Alert>(`/v0/alerts/${parameters.id}`);
      monitorName ??= await nameOf(place, shown.monitor_id);
      if (before !== undefined && before !== shown.state) place.announce(`${shown.title}: ${shown.state}`);
    },
    render: () => {
      if (shown === null) return null;
      const current = shown;
      const changed = (answer: Alert) => {
        shown = answer;
      };
      return [
        promote.render(),
        element(
          'section',
          { class: `card alert-head ${lookOf('alerts', current.state).tone}` },
          element(
            'div',
            { class: 'state' },
            badge(lookOf('alerts', current.state)),
            badge(lookOf('severities', current.severity)),
          ),
          facts(current),
          element('div', { class: 'buttons' }, alertActions(current, place, action, promote.open, changed)),
          problemNote(action.problem),
        ),
      ];
    },
  };
}

/** A deleted monitor has no name any more, and a token may not see it. */
async function nameOf(place: Place, monitorId: string): Promise<string> {
  if (!place.can('monitors:read')) return monitorId;
  return place.api.get<{ name: string }>(`/v0/monitors/${monitorId}`).then(
    ({ name }) => name,
    () => monitorId,
  );
}
