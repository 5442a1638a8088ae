import type { Component, Incident } from '../../data/api-types.ts';
import { type Content, type Description, element } from '../../dom/element.ts';
import { badge } from '../../parts/badge.ts';
import { impactLabel, presentation } from '../../parts/labels.ts';
import { ago, at } from '../../parts/time.ts';
import type { Parameters, View, ViewContext, ViewDefinition } from '../../view.ts';
import { createDeliveries } from './deliveries.ts';
import { createIncidentDetails } from './details.ts';
import type { Editor } from './editor.ts';
import { createPostmortem } from './postmortem.ts';
import { createIncidentUpdates } from './updates.ts';

export const incident: ViewDefinition = { pattern: '#/incidents/{id}', open };

function open(context: ViewContext, parameters: Parameters): View {
  const incidentId = parameters.id ?? '';
  let current: Incident | null = null;
  let components: readonly Component[] = [];
  const onChange = (changed: Incident) => {
    current = changed;
    context.redraw();
  };
  const editor: Editor = { context, incidentId, onChange };
  const updates = createIncidentUpdates(editor);
  const details = createIncidentDetails(editor);
  const postmortem = createPostmortem(editor);
  const deliveries = createDeliveries(context, incidentId);

  return {
    title: () => current?.title ?? 'Incident',
    intervalMs: () => 4000,
    load: async () => {
      const [loaded] = await Promise.all([context.api.get<Incident>(`/v0/incidents/${incidentId}`), deliveries.load()]);
      if (components.length === 0 && context.can('components:read'))
        components = await context.api.all<Component>('/v0/components', { status_page_id: loaded.status_page_id });
      current = loaded;
    },
    render: () => {
      if (current === null) return null;
      const canWrite = context.can('incidents:write');
      return [
        updates.dialog(),
        renderHead(current, components, context.api.nowMs()),
        canWrite && updates.form(current),
        updates.list(current),
        canWrite && details.render(current, components),
        canWrite && postmortem.render(current),
        deliveries.render(),
      ];
    },
  };
}

export function renderHead(incident: Incident, components: readonly Component[], nowMs: number): Description {
  const state = presentation('incidents', incident.state);
  const { started_at, resolved_at } = incident;
  return element(
    'section',
    { class: `card incident-head ${state.tone}`, key: 'head' },
    element(
      'div',
      { class: 'state' },
      badge(state),
      badge(presentation('severities', incident.severity)),
      element('span', {}, impactLabel(incident.impact)),
    ),
    element('p', {}, 'Started ', at(started_at), ', ', ago(started_at, nowMs)),
    resolved_at !== null && element('p', {}, 'Resolved ', at(resolved_at)),
    element('p', {}, describeAffected(incident, components)),
    element('p', {}, renderLinks(incident)),
  );
}

/** By name, or by id for components that the token may not read. */
function describeAffected({ affected_components }: Incident, components: readonly Component[]): string {
  const names = new Map(components.map(({ id, name }) => [id, name]));
  if (affected_components.length === 0) return 'No components affected.';
  return `Affects ${affected_components.map(id => names.get(id) ?? id).join(', ')}.`;
}

function renderLinks({ alert_id, url }: Incident): Content {
  const page = element('a', { href: url, target: '_blank', rel: 'noreferrer' }, 'Public page');
  if (alert_id === null) return page;
  return [page, ' · ', element('a', { href: `#/alerts/${alert_id}` }, 'Source alert')];
}
