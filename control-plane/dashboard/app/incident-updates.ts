import { createAction, problemNote, submitButton } from './action.ts';
import { badge } from './badge.ts';
import { dialog } from './dialog.ts';
import { type Content, element } from './element.ts';
import { choice, field, form } from './form.ts';
import type { Editor } from './incident-editor.ts';
import type { Incident, IncidentUpdate } from './shapes.ts';
import { ago } from './time.ts';
import { incidentStates, lookOf } from './words.ts';

/** What is said in public: a form for the next update, the list of those posted, and the correction of one. */
export function createIncidentUpdates({ place, id, changed }: Editor) {
  const posting = createAction(place.redraw);
  const editing = createAction(place.redraw);
  let edited: IncidentUpdate | null = null;

  const close = () => {
    edited = null;
    editing.clear();
    place.redraw();
  };
  /** The end is told by its own operation; what is added after it is an update like any other. */
  const send = (incident: Incident, state: string, body: string): Promise<Incident> =>
    state === 'resolved' && incident.state !== 'resolved'
      ? place.api.send('POST', `/v0/incidents/${id}/resolve`, { body })
      : place.api.send('POST', `/v0/incidents/${id}/updates`, { state, body });

  return {
    post: (incident: Incident): Content =>
      form(
        { class: 'card', key: 'post', 'aria-label': 'Post an update' },
        posting,
        async (values, host) => {
          changed(await send(incident, values.text('state'), values.text('body')));
          const text = host.querySelector('textarea');
          if (text !== null) text.value = '';
          place.announce('The update is published');
          await place.refresh();
        },
        element('h2', {}, 'Post an update'),
        choice({
          label: 'State',
          name: 'state',
          action: posting,
          value: incident.state,
          choices: incidentStates.map(state => [state, lookOf('incidents', state).word] as const),
        }),
        field('textarea', {
          label: 'What to tell',
          name: 'body',
          action: posting,
          hint: 'Markdown; published at once and sent to the subscribers. Resolved ends the incident.',
          attributes: { rows: 4, maxlength: 25_000, required: true },
        }),
        problemNote(posting.problem, ['body', 'state']),
        element('div', { class: 'buttons' }, submitButton('Publish update', posting)),
      ),
    list: (incident: Incident): Content =>
      element(
        'section',
        { class: 'card', key: 'updates' },
        element('h2', {}, 'Updates'),
        incident.updates.length === 0 && element('p', { class: 'hint' }, 'None yet: nobody was told.'),
        element(
          'ol',
          { class: 'updates' },
          [...incident.updates].reverse().map(update =>
            element(
              'li',
              { key: update.id },
              element(
                'div',
                { class: 'state' },
                badge(lookOf('incidents', update.state)),
                ago(update.posted_at, place.api.nowMs()),
                update.edited_at !== null &&
                  element('span', { class: 'hint' }, 'edited ', ago(update.edited_at, place.api.nowMs())),
                place.can('incidents:write') &&
                  element(
                    'button',
                    {
                      type: 'button',
                      class: 'quiet',
                      onclick: () => {
                        edited = update;
                        place.redraw();
                      },
                    },
                    'Edit',
                  ),
              ),
              element('p', { class: 'body' }, update.body),
            ),
          ),
        ),
      ),
    dialog: (): Content => {
      if (edited === null) return null;
      const current = edited;
      return dialog(
        'Edit the update',
        close,
        form(
          {},
          editing,
          async values => {
            const path = `/v0/incidents/${id}/updates/${current.id}`;
            changed(await place.api.send<Incident>('PATCH', path, { body: values.text('body') }));
            edited = null;
            await place.refresh();
          },
          field('textarea', {
            label: 'What was told',
            name: 'body',
            action: editing,
            hint: 'The page shows the new text as edited. Nobody is told again.',
            attributes: { id: 'edited-body', rows: 8, maxlength: 25_000, value: current.body },
          }),
          problemNote(editing.problem, ['body']),
          element(
            'div',
            { class: 'buttons' },
            submitButton('Save', editing),
            element('button', { type: 'button', onclick: close }, 'Cancel'),
          ),
        ),
      );
    },
  };
}
