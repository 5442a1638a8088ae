import type { Component, Incident } from '../../data/api-types.ts';
import { type Action, createAction, problemNote, submitButton } from '../../dom/action.ts';
import { type Content, type Description, element } from '../../dom/element.ts';
import { checkboxes, choice, field, form, type Values } from '../../dom/form.ts';
import { impactChoices, severityChoices } from '../../parts/labels.ts';
import type { Editor } from './editor.ts';

const heading = 'Title, impact and components';

/** Title, severity, impact and components: changes appear on the page without notifications. */
export function createIncidentDetails({ context, incidentId, onChange }: Editor) {
  const action = createAction(context.redraw);
  const save = async (values: Values): Promise<void> => {
    const changed = await context.api.send<Incident>('PATCH', `/v0/incidents/${incidentId}`, {
      title: values.text('title'),
      severity: values.text('severity'),
      impact: values.text('impact'),
      affected_components: values.all('affected_components'),
    });
    onChange(changed);
    context.announce('Saved');
  };
  return {
    render: (incident: Incident, components: readonly Component[]): Content =>
      element(
        'details',
        { class: 'card', key: 'details' },
        element('summary', {}, element('h2', {}, heading)),
        form(
          { 'aria-label': heading },
          action,
          save,
          renderFields(incident, action),
          renderComponents(incident, components),
          problemNote(action.problem, ['title', 'severity', 'impact']),
          element('div', { class: 'buttons' }, submitButton('Save', action, { class: '' })),
        ),
      ),
  };
}

function renderFields({ title, severity, impact }: Incident, action: Action): Content {
  return [
    field('input', { label: 'Title', name: 'title', action, attributes: { value: title, maxlength: 255 } }),
    element(
      'div',
      { class: 'pair' },
      choice({ label: 'Severity', name: 'severity', action, value: severity, choices: severityChoices }),
      choice({ label: 'Impact', name: 'impact', action, value: impact, choices: impactChoices }),
    ),
  ];
}

function renderComponents(incident: Incident, components: readonly Component[]): Description | null {
  if (components.length === 0) return null;
  const choices = components.map(({ id, name }) => [id, name] as const);
  return checkboxes('Affected components', 'affected_components', choices, incident.affected_components);
}
