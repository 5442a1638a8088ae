import type { Component, Incident, StatusPage } from '../data/api-types.ts';
import { type Action, createAction, problemNote, submitButton } from '../dom/action.ts';
import { type Content, type Description, element } from '../dom/element.ts';
import { checkboxes, choice, field, form, selectedValue, type Values } from '../dom/form.ts';
import { impactChoices, incidentStateChoices, severityChoices } from '../parts/labels.ts';
import type { View, ViewContext, ViewDefinition } from '../view.ts';

export const newIncident: ViewDefinition = { pattern: '#/incidents/new', open };

const fieldsWithErrors = ['status_page_id', 'title', 'severity', 'impact'];

function open(context: ViewContext): View {
  const action = createAction(context.redraw);
  let pages: StatusPage[] = [];
  let components: Component[] = [];
  let pageId = '';

  const load = async (): Promise<void> => {
    [pages, components] = await Promise.all([
      context.api.all<StatusPage>('/v0/status-pages'),
      context.api.all<Component>('/v0/components'),
    ]);
    if (!pages.some(({ id }) => id === pageId)) pageId = pages[0]?.id ?? '';
  };
  const pickPage = (event: Event) => {
    pageId = selectedValue(event);
    context.redraw();
  };
  const publish = (values: Values) => publishIncident(context, pageId, values);

  return {
    title: () => 'New incident',
    intervalMs: () => 30_000,
    load,
    render: () => {
      if (!context.can('incidents:write'))
        return element('p', { class: 'note' }, 'This token does not have permission to publish incidents.');
      if (pages.length === 0) return renderWithoutPage();
      return form(
        { class: 'card', 'aria-label': 'New incident' },
        action,
        publish,
        choice({
          label: 'Status page',
          name: 'status_page_id',
          action,
          value: pageId,
          choices: pages.map(page => [page.id, page.name] as const),
          attributes: { onchange: pickPage },
        }),
        renderIncidentFields(action),
        renderComponents(components.filter(component => component.status_page_id === pageId)),
        renderFirstUpdate(action),
        problemNote(action.problem, fieldsWithErrors),
        renderButtons(action),
      );
    },
  };
}

async function publishIncident(context: ViewContext, pageId: string, values: Values): Promise<void> {
  const body = values.text('body');
  const incident = await context.api.send<Incident>('POST', '/v0/incidents', {
    status_page_id: pageId,
    title: values.text('title'),
    severity: values.text('severity'),
    impact: values.text('impact'),
    affected_components: values.all('affected_components'),
    ...(body === '' ? {} : { initial_update: { state: values.text('state'), body } }),
  });
  context.announce('Incident published');
  context.go(`#/incidents/${incident.id}`);
}

function renderWithoutPage(): Description {
  const link = element('a', { href: '#/status-pages' }, 'Create one first.');
  return element('p', { class: 'note' }, 'Incidents are published on a status page. ', link);
}

function renderIncidentFields(action: Action): Content {
  return [
    field('input', { label: 'Title', name: 'title', action, attributes: { required: true, maxlength: 255 } }),
    element(
      'div',
      { class: 'pair' },
      choice({ label: 'Severity', name: 'severity', action, value: 'p2', choices: severityChoices }),
      choice({ label: 'Impact', name: 'impact', action, value: 'partial', choices: impactChoices }),
    ),
  ];
}

function renderComponents(components: readonly Component[]): Content {
  if (components.length === 0) return null;
  const choices = components.map(({ id, name }) => [id, name] as const);
  return checkboxes('Affected components', 'affected_components', choices, []);
}

function renderFirstUpdate(action: Action): Content {
  return [
    choice({ label: 'State', name: 'state', action, value: 'investigating', choices: incidentStateChoices }),
    field('textarea', {
      label: 'First update',
      name: 'body',
      action,
      hint: 'Markdown; published and sent to subscribers. Leave empty to publish no update and notify no one.',
      attributes: { rows: 5, maxlength: 25_000 },
    }),
  ];
}

function renderButtons(action: Action): Description {
  const cancel = element('a', { class: 'button', href: '#/incidents' }, 'Cancel');
  return element('div', { class: 'buttons' }, submitButton('Publish', action), cancel);
}
