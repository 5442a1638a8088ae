import { createAction, problemNote, submitButton } from './action.ts';
import { type Content, element } from './element.ts';
import { boxes, choice, field, form } from './form.ts';
import type { Editor } from './incident-editor.ts';
import type { Component, Incident } from './shapes.ts';
import { impactWords, severityWords } from './words.ts';

/** Title, severity, impact and components: changes show on the page, nobody is told. */
export function createIncidentDetails({ place, id, changed }: Editor) {
  const action = createAction(place.redraw);
  return {
    render: (incident: Incident, components: readonly Component[]): Content =>
      element(
        'details',
        { class: 'card', key: 'details' },
        element('summary', {}, element('h2', {}, 'Title, impact and components')),
        form(
          { 'aria-label': 'Title, impact and components' },
          action,
          async values => {
            const answer = await place.api.send<Incident>('PATCH', `/v0/incidents/${id}`, {
              title: values.text('title'),
              severity: values.text('severity'),
              impact: values.text('impact'),
              affected_components: values.all('affected_components'),
            });
            changed(answer);
            place.announce('Saved');
          },
          field('input', {
            label: 'Title',
            name: 'title',
            action,
            attributes: { value: incident.title, maxlength: 255 },
          }),
          element(
            'div',
            { class: 'pair' },
            choice({
              label: 'Severity',
              name: 'severity',
              action,
              value: incident.severity,
              choices: Object.entries(severityWords),
            }),
            choice({
              label: 'Impact',
              name: 'impact',
              action,
              value: incident.impact,
              choices: Object.entries(impactWords),
            }),
          ),
          components.length > 0 &&
            boxes(
              'Affected components',
              'affected_components',
              components.map(component => ({ value: component.id, label: component.name })),
              incident.affected_components,
            ),
          problemNote(action.problem, ['title', 'severity', 'impact']),
          element('div', { class: 'buttons' }, submitButton('Save', action, { class: '' })),
        ),
      ),
  };
}
