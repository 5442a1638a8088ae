import { createAction, problemNote, submitButton } from '../action.ts';
import { type Content, element } from '../element.ts';
import { boxes, choice, field, form } from '../form.ts';
import type { Component, Incident, StatusPage } from '../shapes.ts';
import type { Place, View, ViewDefinition } from '../view.ts';
import { impactWords, incidentStates, lookOf, severityWords } from '../words.ts';

export const newIncident: ViewDefinition = { pattern: '#/incidents/new', open };

const fields = ['status_page_id', 'title', 'severity', 'impact'];

function open(place: Place): View {
  const action = createAction(place.redraw);
  let pages: StatusPage[] = [];
  let components: Component[] = [];
  let pageId = '';

  const load = async (): Promise<void> => {
    [pages, components] = await Promise.all([
      place.api.all<StatusPage>('/v0/status-pages'),
      place.api.all<Component>('/v0/components'),
    ]);
    if (!pages.some(({ id }) => id === pageId)) pageId = pages[0]?.id ?? '';
  };
  const pickPage = (event: Event) => {
    pageId = (event.currentTarget as HTMLSelectElement).value;
    place.redraw();
  };
  const ofPage = () => components.filter(component => component.status_page_id === pageId);

  const editor = (): Content =>
    form(
      { class: 'card', 'aria-label': 'New incident' },
      action,
      async values => {
        const body = values.text('body');
        const incident = await place.api.send<Incident>('POST', '/v0/incidents', {
          status_page_id: pageId,
          title: values.text('title'),
          severity: values.text('severity'),
          impact: values.text('impact'),
          affected_components: values.all('affected_components'),
          ...(body === '' ? {} : { initial_update: { state: values.text('state'), body } }),
        });
        place.announce('The incident is published');
        place.go(`#/incidents/${incident.id}`);
      },
      choice({
        label: 'Status page',
        name: 'status_page_id',
        action,
        value: pageId,
        choices: pages.map(page => [page.id, page.name] as const),
        attributes: { onchange: pickPage },
      }),
      field('input', { label: 'Title', name: 'title', action, attributes: { required: true, maxlength: 255 } }),
      element(
        'div',
        { class: 'pair' },
        choice({ label: 'Severity', name: 'severity', action, value: 'p2', choices: Object.entries(severityWords) }),
        choice({ label: 'Impact', name: 'impact', action, value: 'partial', choices: Object.entries(impactWords) }),
      ),
      ofPage().length > 0 &&
        boxes(
          'Affected components',
          'affected_components',
          ofPage().map(({ id, name }) => ({ value: id, label: name })),
          [],
        ),
      choice({
        label: 'State',
        name: 'state',
        action,
        value: 'investigating',
        choices: incidentStates.map(state => [state, lookOf('incidents', state).word] as const),
      }),
      field('textarea', {
        label: 'First update',
        name: 'body',
        action,
        hint: 'Markdown; published and sent to the subscribers. Left empty, the incident stands without a word and nobody is told.',
        attributes: { rows: 5, maxlength: 25_000 },
      }),
      problemNote(action.problem, fields),
      element(
        'div',
        { class: 'buttons' },
        submitButton('Publish', action),
        element('a', { class: 'button', href: '#/incidents' }, 'Cancel'),
      ),
    );

  return {
    title: () => 'New incident',
    everyMs: () => 30_000,
    load,
    render: () => {
      if (!place.can('incidents:write'))
        return element('p', { class: 'note' }, 'Your token may not publish incidents.');
      if (pages.length === 0)
        return element(
          'p',
          { class: 'note' },
          'An incident is published on a status page. ',
          element('a', { href: '#/status-pages' }, 'Make one first.'),
        );
      return editor();
    },
  };
}
