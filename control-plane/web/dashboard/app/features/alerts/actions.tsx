import { ActionButton } from '../../kit/button.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Alert } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';

type AlertActionsProps = {
  alert: Alert;
  /** Opens the dialog that publishes the alert. */
  promote(alert: Alert): void;
  /** Called with the alert as an action left it. */
  onChange(alert: Alert): void;
};

/** Buttons to acknowledge an alert or publish it as an incident, or the link to its incident. */
export function AlertActions({ alert, promote, onChange }: AlertActionsProps) {
  const app = useApp();
  const action = useAction();
  const acknowledge = async (): Promise<void> => {
    onChange(await read(app.api.client.POST('/v0/alerts/{id}/acknowledge', { params: { path: { id: alert.id } } })));
    app.announce(`${alert.title}: acknowledged`);
  };
  const mayAcknowledge = alert.state === 'open' && app.can('alerts:write');
  return (
    <>
      {mayAcknowledge && (
        <ActionButton action={action} work={acknowledge} class="primary" label={`Acknowledge ${alert.title}`}>
          Acknowledge
        </ActionButton>
      )}
      {alert.incident_id !== null && <a href={`#/incidents/${alert.incident_id}`}>Incident</a>}
      {alert.incident_id === null && app.can('incidents:write') && (
        <button
          type="button"
          class="quiet"
          aria-label={`Create incident from ${alert.title}`}
          onClick={() => promote(alert)}
        >
          Create incident…
        </button>
      )}
      <ProblemNote problem={action.problem} />
    </>
  );
}
