import { actionButton, createActions, problemNote } from './action.ts';
import { ApiProblem, type List } from './api.ts';
import { badge } from './badge.ts';
import { type Content, element } from './element.ts';
import type { Delivery } from './shapes.ts';
import { ago } from './time.ts';
import type { Place } from './view.ts';
import { lookOf, plural } from './words.ts';

/** Who was told, when, how often it was tried, and what failed. */
export function createDeliveries(place: Place, incidentId: string) {
  const actionOf = createActions(place.redraw);
  let deliveries: readonly Delivery[] = [];
  let hasMore = false;
  let missing = false;

  const load = async (): Promise<void> => {
    if (missing) return;
    try {
      const list = await place.api.get<List<Delivery>>(`/v0/incidents/${incidentId}/deliveries`, { limit: 100 });
      deliveries = list.data;
      hasMore = list.pagination.has_more;
    } catch (error) {
      // A token without the right sees the incident all the same.
      if (!(error instanceof ApiProblem) || ![403, 404].includes(error.status)) throw error;
      missing = true;
    }
  };
  const row = (delivery: Delivery): Content => {
    const action = actionOf(delivery.id);
    const cell = (label: string, ...content: Content[]) => element('td', { 'data-label': label }, content);
    const replay = async (): Promise<void> => {
      await place.api.send('POST', `/v0/deliveries/${delivery.id}/replay`);
      await place.refresh();
    };
    return element(
      'tr',
      { key: delivery.id },
      cell('State', badge(lookOf('deliveries', delivery.state))),
      cell('Channel', delivery.channel),
      cell('To', delivery.recipient ?? 'gone'),
      cell('When', ago(delivery.sent_at ?? delivery.created_at, place.api.nowMs())),
      cell('Tries', delivery.attempts),
      cell(
        'Fault',
        delivery.error ?? '',
        ['failed', 'held'].includes(delivery.state) &&
          place.can('incidents:write') &&
          actionButton('Send again', action, replay, { class: 'quiet' }),
        problemNote(action.problem),
      ),
    );
  };
  return {
    load,
    render: (): Content =>
      !missing &&
      element(
        'section',
        { class: 'card', key: 'deliveries' },
        element('h2', {}, 'Who was told'),
        deliveries.length === 0
          ? element('p', { class: 'hint' }, 'Nobody yet.')
          : element(
              'table',
              {},
              element('caption', { class: 'unseen' }, 'Deliveries'),
              element(
                'thead',
                {},
                element(
                  'tr',
                  {},
                  ['State', 'Channel', 'To', 'When', 'Tries', 'Fault'].map(name =>
                    element('th', { scope: 'col' }, name),
                  ),
                ),
              ),
              element('tbody', {}, deliveries.map(row)),
            ),
        hasMore &&
          element(
            'p',
            { class: 'hint' },
            `The newest ${plural(deliveries.length, 'delivery', 'deliveries')} are shown.`,
          ),
      ),
  };
}
