import type { Alert } from '../data/api-types.ts';
import { type Action, actionButton } from '../dom/action.ts';
import { type Content, element } from '../dom/element.ts';
import type { ViewContext } from '../view.ts';

type AlertHandlers = {
  action: Action;
  /** Opens the dialog that publishes the alert. */
  promote(alert: Alert): void;
  /** Called with the alert as an action left it. */
  onChange(alert: Alert): void;
};

/** Buttons to acknowledge an alert or publish it as an incident, or the link to its incident. */
export function alertActions(alert: Alert, context: ViewContext, handlers: AlertHandlers): Content {
  if (alert.incident_id !== null) {
    const link = element('a', { key: 'incident', href: `#/incidents/${alert.incident_id}` }, 'Incident');
    return [acknowledgeButton(alert, context, handlers), link];
  }
  return [acknowledgeButton(alert, context, handlers), promoteButton(alert, context, handlers)];
}

function acknowledgeButton(alert: Alert, context: ViewContext, { action, onChange }: AlertHandlers): Content {
  if (alert.state !== 'open' || !context.can('alerts:write')) return null;
  const acknowledge = async (): Promise<void> => {
    onChange(await context.api.send<Alert>('POST', `/v0/alerts/${alert.id}/acknowledge`));
    context.announce(`${alert.title}: acknowledged`);
    await context.refresh();
  };
  const attributes = { key: 'acknowledge', 'aria-label': `Acknowledge ${alert.title}` };
  return actionButton('Acknowledge', action, acknowledge, attributes);
}

function promoteButton(alert: Alert, context: ViewContext, { promote }: AlertHandlers): Content {
  if (!context.can('incidents:write')) return null;
  const attributes = {
    key: 'promote',
    type: 'button',
    class: alert.state === 'resolved' ? 'quiet' : 'primary',
    'aria-label': `Promote ${alert.title}`,
    onclick: () => promote(alert),
  };
  return element('button', attributes, 'Promote…');
}
