import type { Incident } from '../../data/api-types.ts';
import type { ViewContext } from '../../view.ts';

/** What the parts of an incident's page share. */
export type Editor = {
  context: ViewContext;
  incidentId: string;
  /** Called with the incident as the API returned it after a change. */
  onChange(incident: Incident): void;
};
