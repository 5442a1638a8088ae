import { ApiProblem, type List } from '../../data/api.ts';
import type { Delivery } from '../../data/api-types.ts';
import { type Action, actionButton, createActions, problemNote } from '../../dom/action.ts';
import { type Content, type Description, element } from '../../dom/element.ts';
import { badge } from '../../parts/badge.ts';
import { plural, presentation } from '../../parts/labels.ts';
import { cell, table } from '../../parts/table.ts';
import { ago } from '../../parts/time.ts';
import type { ViewContext } from '../../view.ts';

const columns = ['State', 'Channel', 'Recipient', 'When', 'Attempts', 'Error'];
const shownMax = 100;

/** The notifications of an incident: recipient, time, attempts and error. */
export function createDeliveries(context: ViewContext, incidentId: string) {
  const actionOf = createActions(context.redraw);
  let deliveries: readonly Delivery[] = [];
  let hasMore = false;
  let isForbidden = false;

  const load = async (): Promise<void> => {
    if (isForbidden) return;
    try {
      const path = `/v0/incidents/${incidentId}/deliveries`;
      const list = await context.api.get<List<Delivery>>(path, { limit: shownMax });
      deliveries = list.data;
      hasMore = list.pagination.has_more;
    } catch (error) {
      // A token that may not read deliveries still sees the incident.
      if (!(error instanceof ApiProblem) || ![403, 404].includes(error.status)) throw error;
      isForbidden = true;
    }
  };
  const row = (delivery: Delivery): Description => {
    const action = actionOf(delivery.id);
    const replay = async (): Promise<void> => {
      await context.api.send('POST', `/v0/deliveries/${delivery.id}/replay`);
      await context.refresh();
    };
    const canReplay = context.can('incidents:write');
    return renderDelivery(delivery, context.api.nowMs(), action, canReplay ? replay : null);
  };
  return {
    load,
    render: (): Content => !isForbidden && renderDeliveries(deliveries.map(row), hasMore),
  };
}

function renderDeliveries(rows: readonly Description[], hasMore: boolean): Description {
  return element(
    'section',
    { class: 'card', key: 'deliveries' },
    element('h2', {}, 'Deliveries'),
    rows.length === 0
      ? element('p', { class: 'hint' }, 'No deliveries yet.')
      : table('Deliveries, newest first', columns, rows),
    hasMore && element('p', { class: 'hint' }, `Showing the newest ${plural(rows.length, 'delivery', 'deliveries')}.`),
  );
}

/** `replay` is null if the token may not send deliveries again. */
export function renderDelivery(
  delivery: Delivery,
  nowMs: number,
  action: Action,
  replay: (() => Promise<void>) | null,
): Description {
  const { attempts, channel, created_at, error, recipient, sent_at, state } = delivery;
  const mayReplay = state === 'failed' || state === 'held';
  return element(
    'tr',
    { key: delivery.id },
    cell('State', badge(presentation('deliveries', state))),
    cell('Channel', channel),
    cell('Recipient', recipient ?? 'deleted'),
    cell('When', ago(sent_at ?? created_at, nowMs)),
    cell('Attempts', attempts),
    cell(
      'Error',
      error ?? '',
      mayReplay && replay !== null && actionButton('Send again', action, replay, { class: 'quiet' }),
      problemNote(action.problem),
    ),
  );
}
