import { matchAddress } from './match-address.ts';
import type { Parameters, ViewDefinition } from './view.ts';
import { alert } from './views/alert.ts';
import { alerts } from './views/alerts.ts';
import { incident } from './views/incident/incident.ts';
import { incidents } from './views/incidents.ts';
import { monitor } from './views/monitor/monitor.ts';
import { monitors } from './views/monitors.ts';
import { newIncident } from './views/new-incident.ts';
import { statusPages } from './views/status-pages.ts';

/** Every view; the first that matches an address is shown. */
export const views: readonly ViewDefinition[] = [
  monitors,
  monitor,
  alerts,
  alert,
  incidents,
  newIncident,
  incident,
  statusPages,
];

type Match = { definition: ViewDefinition; parameters: Parameters };

/** Null for an address without a view. */
export function findView(address: string): Match | null {
  for (const definition of views) {
    const parameters = matchAddress(definition.pattern, address);
    if (parameters !== null) return { definition, parameters };
  }
  return null;
}
