import type { Incident, IncidentUpdate } from '../../data/api-types.ts';
import { type Action, createAction, problemNote, submitButton } from '../../dom/action.ts';
import { dialog } from '../../dom/dialog.ts';
import { type Content, type Description, element } from '../../dom/element.ts';
import { choice, field, form, type Values } from '../../dom/form.ts';
import { badge } from '../../parts/badge.ts';
import { incidentStateChoices, presentation } from '../../parts/labels.ts';
import { ago } from '../../parts/time.ts';
import type { Editor } from './editor.ts';

/** Public updates: a form for the next one, the list of those published, and a dialog to correct one. */
export function createIncidentUpdates({ context, incidentId, onChange }: Editor) {
  const posting = createAction(context.redraw);
  const editing = createAction(context.redraw);
  let edited: IncidentUpdate | null = null;

  const publish = async (incident: Incident, values: Values, host: HTMLFormElement): Promise<void> => {
    const { path, body } = updateRequest(incident, values.text('state'), values.text('body'));
    onChange(await context.api.send<Incident>('POST', path, body));
    // The next update starts empty; the state stays as chosen.
    const text = host.querySelector('textarea');
    if (text !== null) text.value = '';
    context.announce('Update published');
    await context.refresh();
  };
  const save = async (update: IncidentUpdate, values: Values): Promise<void> => {
    const path = `/v0/incidents/${incidentId}/updates/${update.id}`;
    onChange(await context.api.send<Incident>('PATCH', path, { body: values.text('body') }));
    edited = null;
    await context.refresh();
  };
  const edit = (update: IncidentUpdate | null) => {
    edited = update;
    editing.clear();
    context.redraw();
  };

  return {
    form: (incident: Incident): Content =>
      form(
        { class: 'card', key: 'post', 'aria-label': 'Post an update' },
        posting,
        (values, host) => publish(incident, values, host),
        renderNewUpdate(incident, posting),
      ),
    list: ({ updates }: Incident): Content =>
      renderUpdates(updates, context.api.nowMs(), context.can('incidents:write') ? edit : null),
    dialog: (): Content => {
      if (edited === null) return null;
      const update = edited;
      const close = () => edit(null);
      const fields = renderEditedUpdate(update, editing, close);
      return dialog(
        'Edit the update',
        close,
        form({}, editing, values => save(update, values), fields),
      );
    },
  };
}

/** Resolving has an operation of its own; an update after it is like any other. */
export function updateRequest(
  incident: Pick<Incident, 'id' | 'state'>,
  state: string,
  body: string,
): { path: string; body: Record<string, string> } {
  const path = `/v0/incidents/${incident.id}`;
  return state === 'resolved' && incident.state !== 'resolved'
    ? { path: `${path}/resolve`, body: { body } }
    : { path: `${path}/updates`, body: { state, body } };
}

function renderNewUpdate(incident: Incident, action: Action): Content {
  return [
    element('h2', {}, 'Post an update'),
    choice({ label: 'State', name: 'state', action, value: incident.state, choices: incidentStateChoices }),
    field('textarea', {
      label: 'Message',
      name: 'body',
      action,
      hint: 'Markdown; published immediately and sent to subscribers. “Resolved” closes the incident.',
      attributes: { rows: 4, maxlength: 25_000, required: true },
    }),
    problemNote(action.problem, ['body', 'state']),
    element('div', { class: 'buttons' }, submitButton('Publish update', action)),
  ];
}

/** Newest first. `edit` is null if the token may not change updates. */
export function renderUpdates(
  updates: readonly IncidentUpdate[],
  nowMs: number,
  edit: ((update: IncidentUpdate) => void) | null,
): Description {
  const items = updates.toReversed().map(update => renderUpdate(update, nowMs, edit));
  return element(
    'section',
    { class: 'card', key: 'updates' },
    element('h2', {}, 'Updates'),
    items.length === 0 && element('p', { class: 'hint' }, 'No updates yet. No one has been notified.'),
    element('ol', { class: 'updates' }, items),
  );
}

function renderUpdate(
  update: IncidentUpdate,
  nowMs: number,
  edit: ((update: IncidentUpdate) => void) | null,
): Description {
  const { id, state, posted_at, edited_at, body } = update;
  const button = { type: 'button', class: 'quiet', onclick: () => edit?.(update) };
  return element(
    'li',
    { key: id },
    element(
      'div',
      { class: 'state' },
      badge(presentation('incidents', state)),
      ago(posted_at, nowMs),
      edited_at !== null && element('span', { class: 'hint' }, 'edited ', ago(edited_at, nowMs)),
      edit !== null && element('button', button, 'Edit'),
    ),
    element('p', { class: 'body' }, body),
  );
}

function renderEditedUpdate(update: IncidentUpdate, action: Action, close: () => void): Content {
  return [
    field('textarea', {
      label: 'Corrected text',
      name: 'body',
      action,
      hint: 'The page marks the update as edited. No notifications are sent.',
      attributes: { id: 'edited-body', rows: 8, maxlength: 25_000, value: update.body },
    }),
    problemNote(action.problem, ['body']),
    element(
      'div',
      { class: 'buttons' },
      submitButton('Save', action),
      element('button', { type: 'button', onclick: close }, 'Cancel'),
    ),
  ];
}
