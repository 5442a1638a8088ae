import { createAction, problemNote, submitButton } from './action.ts';
import { type Content, element } from './element.ts';
import { field, form } from './form.ts';
import type { Editor } from './incident-editor.ts';
import type { Incident } from './shapes.ts';

/** The write-up: a text on the status page, or a link to one elsewhere, which wins. */
export function createPostmortem({ place, id, changed }: Editor) {
  const action = createAction(place.redraw);
  return {
    render: (incident: Incident): Content => {
      const hosted = incident.postmortem_url?.startsWith(`${incident.url}#`) ?? false;
      const external = hosted ? '' : (incident.postmortem_url ?? '');
      return element(
        'details',
        { class: 'card', key: 'postmortem' },
        element('summary', {}, element('h2', {}, 'Post-mortem'), incident.postmortem_url !== null && ' attached'),
        incident.postmortem_url !== null &&
          element(
            'p',
            {},
            element(
              'a',
              { href: incident.postmortem_url, target: '_blank', rel: 'noreferrer' },
              incident.postmortem_url,
            ),
          ),
        form(
          { 'aria-label': 'Post-mortem' },
          action,
          async values => {
            const [url, body] = [values.text('postmortem_url'), values.text('postmortem_body')];
            const answer = await place.api.send<Incident>('PATCH', `/v0/incidents/${id}`, {
              postmortem_url: url === '' ? null : url,
              postmortem_body: body === '' ? null : body,
            });
            changed(answer);
            place.announce('Saved');
          },
          field('textarea', {
            label: 'Text',
            name: 'postmortem_body',
            action,
            hint: 'Markdown, shown on the incident’s public page.',
            attributes: { rows: 8, value: incident.postmortem_body ?? '' },
          }),
          field('input', {
            label: 'Or a link to a write-up elsewhere',
            name: 'postmortem_url',
            action,
            attributes: { type: 'url', value: external, placeholder: 'https://' },
          }),
          problemNote(action.problem, ['postmortem_body', 'postmortem_url']),
          element('div', { class: 'buttons' }, submitButton('Save', action, { class: '' })),
        ),
      );
    },
  };
}
