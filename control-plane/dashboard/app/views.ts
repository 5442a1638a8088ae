import type { ViewDefinition } from './view.ts';
import { alert } from './views/alert.ts';
import { alerts } from './views/alerts.ts';
import { incident } from './views/incident.ts';
import { incidents } from './views/incidents.ts';
import { monitor } from './views/monitor.ts';
import { monitors } from './views/monitors.ts';
import { newIncident } from './views/new-incident.ts';
import { statusPages } from './views/status-pages.ts';

/** Every view; the first that fits an address is shown. */
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

export type Match = { definition: ViewDefinition; parameters: Record<string, string> };

/** Null for an address that no view has. */
export function findView(address: string): Match | null {
  const steps = address.split('/');
  for (const definition of views) {
    const parts = definition.pattern.split('/');
    if (parts.length !== steps.length) continue;
    const parameters: Record<string, string> = {};
    const fits = parts.every((part, index) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name !== undefined) parameters[name] = steps[index] ?? '';
      return name === undefined ? part === steps[index] : /^\w+$/.test(steps[index] ?? '');
    });
    if (fits) return { definition, parameters };
  }
  return null;
}
