import type { Incident } from '../../data/api-types.ts';
import { type Action, createAction, problemNote, submitButton } from '../../dom/action.ts';
import { type Content, type Description, element } from '../../dom/element.ts';
import { field, form, type Values } from '../../dom/form.ts';
import type { Editor } from './editor.ts';

/** The post-mortem: a text on the status page, or a link to an external one, which takes precedence. */
export function createPostmortem({ context, incidentId, onChange }: Editor) {
  const action = createAction(context.redraw);
  const save = async (values: Values): Promise<void> => {
    const [url, body] = [values.text('postmortem_url'), values.text('postmortem_body')];
    const changed = await context.api.send<Incident>('PATCH', `/v0/incidents/${incidentId}`, {
      postmortem_url: url === '' ? null : url,
      postmortem_body: body === '' ? null : body,
    });
    onChange(changed);
    context.announce('Saved');
  };
  return {
    render: (incident: Incident): Content => {
      const { postmortem_url } = incident;
      return element(
        'details',
        { class: 'card', key: 'postmortem' },
        element('summary', {}, element('h2', {}, 'Post-mortem'), postmortem_url !== null && ' attached'),
        postmortem_url !== null && renderLink(postmortem_url),
        form(
          { 'aria-label': 'Post-mortem' },
          action,
          save,
          renderFields(incident, action),
          problemNote(action.problem, ['postmortem_body', 'postmortem_url']),
          element('div', { class: 'buttons' }, submitButton('Save', action, { class: '' })),
        ),
      );
    },
  };
}

function renderLink(url: string): Description {
  return element('p', {}, element('a', { href: url, target: '_blank', rel: 'noreferrer' }, url));
}

function renderFields(incident: Incident, action: Action): Content {
  const link = { type: 'url', value: externalUrl(incident), placeholder: 'https://' };
  return [
    field('textarea', {
      label: 'Text',
      name: 'postmortem_body',
      action,
      hint: 'Markdown, shown on the incident’s public page.',
      attributes: { rows: 8, value: incident.postmortem_body ?? '' },
    }),
    field('input', { label: 'Or link to an external post-mortem', name: 'postmortem_url', action, attributes: link }),
  ];
}

/** The link that the operator entered: for a hosted text the API returns an address on the incident's own page. */
export function externalUrl({ postmortem_url, url }: Pick<Incident, 'postmortem_url' | 'url'>): string {
  if (postmortem_url === null || postmortem_url.startsWith(`${url}#`)) return '';
  return postmortem_url;
}
