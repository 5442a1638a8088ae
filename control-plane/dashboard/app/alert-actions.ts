import { type Action, actionButton } from './action.ts';
import { type Content, element } from './element.ts';
import type { Alert } from './shapes.ts';
import type { Place } from './view.ts';

/** What can be done about an alert: acknowledge, make it public, or look at what was made of it. */
export function alertActions(
  alert: Alert,
  place: Place,
  action: Action,
  promote: (alert: Alert) => void,
  changed: (alert: Alert) => void,
): Content {
  const acknowledge = async (): Promise<void> => {
    changed(await place.api.send<Alert>('POST', `/v0/alerts/${alert.id}/acknowledge`));
    place.announce(`${alert.title}: acknowledged`);
    await place.refresh();
  };
  return [
    alert.state === 'open' &&
      place.can('alerts:write') &&
      actionButton('Acknowledge', action, acknowledge, {
        key: 'acknowledge',
        'aria-label': `Acknowledge ${alert.title}`,
      }),
    alert.incident_id === null &&
      place.can('incidents:write') &&
      element(
        'button',
        {
          key: 'promote',
          type: 'button',
          class: alert.state === 'resolved' ? 'quiet' : 'primary',
          'aria-label': `Promote ${alert.title}`,
          onclick: () => promote(alert),
        },
        'Promote…',
      ),
    alert.incident_id !== null &&
      element('a', { key: 'incident', href: `#/incidents/${alert.incident_id}` }, 'Incident'),
  ];
}
