import { type Api, read } from '../../session/api.ts';
import type { Component, Incident, Monitor } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';

type DownWarningProps = { incident: Incident; components: readonly Component[] };

const downMax = 1000;

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
  if (incident.alert_id !== null && can('alerts:read')) ids.add(await readMonitorId(api, incident.alert_id));
  if (ids.size === 0) return [];
  const down = await readAll(
    page => api.client.GET('/v0/monitors', { params: { query: { status: ['down'], ...page } } }),
    downMax,
  );
  return down.filter(({ id }) => ids.has(id));
}

async function readMonitorId({ client }: Api, alertId: string): Promise<string> {
  const params = { path: { id: alertId } };
  return (await read(client.GET('/v0/alerts/{id}', { params }))).monitor_id;
}
