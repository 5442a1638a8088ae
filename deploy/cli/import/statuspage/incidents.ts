import type { Draft } from '../draft/draft.ts';
import { lineOf, objectsOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';

const states = ['investigating', 'identified', 'monitoring', 'resolved'];
const bodyMax = 25_000;
const updatesMax = 100;

/** Whether an incident of Statuspage is a planned window. */
export function isMaintenance(incident: Item): boolean {
  return textOf(incident.scheduled_for) !== '' || incident.impact === 'maintenance';
}

/** A past incident as `POST /v0/incidents/import` takes it; null if it is not over, which is reported. */
export function incidentOf(
  draft: Draft,
  incident: Item,
  { pageKey, keyOf }: { pageKey: string; keyOf(id: string): string | null },
): Item | null {
  const title = lineOf(incident.name, 255, 'Incident');
  const thing = draft.thing('incident', title, textOf(incident.id));
  const given = objectsOf(incident.incident_updates).toSorted((left, right) => timeOf(left) - timeOf(right));
  const postmortem = given.filter(({ status }) => status === 'postmortem').at(-1);
  const updates = given.filter(update => states.includes(textOf(update.status)) && Number.isFinite(timeOf(update)));
  const last = updates.at(-1);
  if (last === undefined || last.status !== 'resolved') {
    thing.leftOut('it is not resolved: open it by hand');
    return null;
  }
  const started = Math.min(
    Date.parse(textOf(incident.started_at)) || Number.POSITIVE_INFINITY,
    timeOf(updates[0] ?? incident),
  );
  const kept = updates.length > updatesMax ? [...updates.slice(0, updatesMax - 1), last] : updates;
  if (kept.length < updates.length)
    thing.dropped('incident_updates', updates.length, `an incident has at most ${updatesMax}`);
  const affected = objectsOf(incident.components).flatMap(({ id }) => keyOf(textOf(id)) ?? []);
  const text = textOf(incident.postmortem_body) || textOf(postmortem?.body);
  thing.carried(null);
  return {
    status_page: pageKey,
    external_id: textOf(incident.id),
    title,
    severity: ({ critical: 'p1', major: 'p2' } as Record<string, string>)[textOf(incident.impact)] ?? 'p3',
    impact:
      ({ critical: 'major', major: 'partial', minor: 'degraded' } as Record<string, string>)[textOf(incident.impact)] ??
      'none',
    affected_components: [...new Set(affected)].map(key => `${pageKey}/${key}`),
    started_at: new Date(started).toISOString(),
    updates: ascending(kept).map(({ at, update }) => ({
      state: textOf(update.status),
      body: textOf(update.body).trim().slice(0, bodyMax) || textOf(update.status),
      posted_at: new Date(at).toISOString(),
    })),
    ...(text.trim() === '' ? {} : { postmortem_body: text.slice(0, 50_000) }),
  };
}

/** Updates of one millisecond are one after the other. */
function ascending(updates: readonly Item[]): { at: number; update: Item }[] {
  let before = Number.NEGATIVE_INFINITY;
  return updates.map(update => {
    before = Math.max(timeOf(update), before + 1);
    return { at: before, update };
  });
}

function timeOf(item: Item): number {
  return Date.parse(textOf(item.display_at) || textOf(item.created_at));
}
