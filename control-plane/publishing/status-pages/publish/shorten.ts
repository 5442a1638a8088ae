import { html } from '../../../platform/markup/html.ts';
import { renderText } from '../../../platform/markup/rendered-text.ts';
import type { PageIncident, PageModel, PageUpdate } from './page-model.ts';

/** The same update with the beginning of its text only, without markup. */
export function shortUpdate(update: PageUpdate): PageUpdate {
  const { excerpt } = textOf(update);
  const lines = excerpt.split('\n').map(line => html`<p>${line}</p>`);
  return { ...update, body: excerpt, rendered: { html: html`${lines}`.toString(), excerpt }, isShort: true };
}

/** The text as it was rendered, or rendered now. */
export function textOf(update: PageUpdate): NonNullable<PageUpdate['rendered']> {
  return update.rendered ?? renderText(update.body);
}

/** The incident with its latest updates only; how many are left out is counted. */
export function withLatestUpdates(incident: PageIncident, count: number): PageIncident {
  const left = Math.max(0, incident.updates.length - count);
  if (left === 0) return incident;
  return { ...incident, updates: incident.updates.slice(left), earlierUpdates: (incident.earlierUpdates ?? 0) + left };
}

/** The incident with the beginnings of texts whose HTML is longer than a maximum. */
export function withShortTexts(incident: PageIncident, htmlMax: number): PageIncident {
  const updates = incident.updates.map(update => (weightOf(update) > htmlMax ? shortUpdate(update) : update));
  return { ...incident, updates };
}

const updateCounts = [20, 10, 5, 3, 1];
/** What surrounds a text on the page. */
const frameBytes = 500;

/** Open incidents of one page with as many updates as its share of bytes allows, the same number for each. */
export function withinTextBudget(incidents: readonly PageIncident[], bytesMax: number): PageIncident[] {
  for (const count of updateCounts) {
    const shown = incidents.map(incident => withLatestUpdates(incident, count));
    const bytes = shown
      .flatMap(incident => incident.updates)
      .reduce((sum, update) => sum + frameBytes + weightOf(update), 0);
    if (bytes <= bytesMax) return shown;
  }
  return incidents.map(incident => withShortTexts(withLatestUpdates(incident, 1), 0));
}

/** The page with nothing but what everybody has to know: it is small whatever people wrote. */
export function leastModel(model: PageModel): PageModel {
  const least = (incident: PageIncident): PageIncident => ({
    ...withShortTexts(withLatestUpdates(incident, 1), 0),
    components: incident.components.slice(0, 10),
  });
  return {
    ...model,
    page: { ...model.page, description: '' },
    components: model.components.map(component => ({
      ...component,
      description: '',
      days: null,
      uptime: null,
      incidentCount: null,
    })),
    openIncidents: model.openIncidents.slice(0, 20).map(least),
    recentIncidents: model.recentIncidents.slice(0, 10).map(least),
    maintenances: (model.maintenances ?? []).slice(0, 20).map(maintenance => ({
      ...maintenance,
      description: null,
      components: maintenance.components.slice(0, 10),
      updates: [],
    })),
  };
}

function weightOf(update: PageUpdate): number {
  return Math.max(textOf(update).html.length, update.body.length);
}
