import { badge } from '../badge.ts';
import { createDeliveries } from '../deliveries.ts';
import { type Content, element } from '../element.ts';
import { createIncidentDetails } from '../incident-details.ts';
import type { Editor } from '../incident-editor.ts';
import { createPostmortem } from '../incident-postmortem.ts';
import { createIncidentUpdates } from '../incident-updates.ts';
import type { Component, Incident } from '../shapes.ts';
import { ago, at } from '../time.ts';
import type { Place, View, ViewDefinition } from '../view.ts';
import { impactWords, lookOf } from '../words.ts';

export const incident: ViewDefinition = { pattern: '#/incidents/{id}', open };

function open(place: Place, parameters: Readonly<Record<string, string>>): View {
  const id = parameters.id ?? '';
  let shown: Incident | null = null;
  let components: readonly Component[] = [];
  const changed = (answer: Incident) => {
    shown = answer;
    place.redraw();
  };
  const editor: Editor = { place, id, changed };
  const updates = createIncidentUpdates(editor);
  const details = createIncidentDetails(editor);
  const postmortem = createPostmortem(editor);
  const deliveries = createDeliveries(place, id);

  const head = (current: Incident): Content => {
    const names = current.affected_components.map(
      componentId => components.find(component => component.id === componentId)?.name ?? componentId,
    );
    return element(
      'section',
      { class: `card incident-head ${lookOf('incidents', current.state).tone}`, key: 'head' },
      element(
        'div',
        { class: 'state' },
        badge(lookOf('incidents', current.state)),
        badge(lookOf('severities', current.severity)),
        element('span', {}, `Impact: ${impactWords[current.impact] ?? current.impact}`),
      ),
      element('p', {}, 'Began ', at(current.started_at), ', ', ago(current.started_at, place.api.nowMs())),
      current.resolved_at !== null && element('p', {}, 'Resolved ', at(current.resolved_at)),
      element('p', {}, names.length === 0 ? 'Affects no component.' : `Affects ${names.join(', ')}.`),
      element(
        'p',
        {},
        element('a', { href: current.url, target: '_blank', rel: 'noreferrer' }, 'Public page'),
        current.alert_id !== null && [
          ' · ',
          element('a', { href: `#/alerts/${current.alert_id}` }, 'Alert it came from'),
        ],
      ),
    );
  };

  return {
    title: () => shown?.title ?? 'Incident',
    everyMs: () => 4000,
    load: async () => {
      const [found] = await Promise.all([place.api.get<Incident>(`/v0/incidents/${id}`), deliveries.load()]);
      if (components.length === 0 && place.can('components:read'))
        components = await place.api.all<Component>('/v0/components', { status_page_id: found.status_page_id });
      shown = found;
    },
    render: () => {
      if (shown === null) return null;
      const own = components.filter(({ status_page_id }) => status_page_id === shown?.status_page_id);
      return [
        updates.dialog(),
        head(shown),
        place.can('incidents:write') && updates.post(shown),
        updates.list(shown),
        place.can('incidents:write') && details.render(shown, own),
        place.can('incidents:write') && postmortem.render(shown),
        deliveries.render(),
      ];
    },
  };
}
