import type { Alert, Component, Incident, Monitor } from '../../data/api-types.ts';
import { type App, useApp } from '../../state/app.ts';
import { useLoad } from '../../state/load.ts';

type DownWarningProps = { incident: Incident; components: readonly Component[] };

/** Names the monitors of the incident that are still down: of its alert, and of its components. */
export function DownWarning({ incident, components }: DownWarningProps) {
  const app = useApp();
  const load = useLoad<readonly Monitor[]>(
    `${incident.id} ${incident.affected_components.join()}`,
    () => readDown(app, incident, components),
    5000,
  );
  const down = load.value ?? [];
  if (down.length === 0) return null;
  return (
    <div class="warning" role="status">
      <strong>Still down: </strong>
      {down.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a href={`#/monitors/${id}`}>{name}</a>
        </span>
      ))}
      . Subscribers will be notified that the incident is over.
    </div>
  );
}

async function readDown({ api, can }: App, incident: Incident, components: readonly Component[]): Promise<Monitor[]> {
  if (!can('monitors:read')) return [];
  const affected = components.filter(({ id }) => incident.affected_components.includes(id));
  const ids = new Set(
    affected.flatMap(({ monitor_ids, matched_monitor_ids }) => [...monitor_ids, ...matched_monitor_ids]),
  );
  if (incident.alert_id !== null && can('alerts:read'))
    ids.add((await api.get<Alert>(`/v0/alerts/${incident.alert_id}`)).monitor_id);
  if (ids.size === 0) return [];
  const down = await api.all<Monitor>('/v0/monitors', { status: 'down' }, 1000);
  return down.filter(({ id }) => ids.has(id));
}
