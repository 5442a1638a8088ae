import { useForm } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { incidentStateChoices, presentation } from '../../kit/labels.ts';
import { read } from '../../session/api.ts';
import type { Component, Incident, IncidentUpdate } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { updateLengthMax } from '../updates/edit-update-dialog.tsx';
import { PublishedUpdates } from '../updates/published-updates.tsx';
import { DownWarning } from './down-warning.tsx';
import { postUpdate } from './post-update.ts';
import { affectedNames, type Template, templatesFor } from './update-templates.ts';

type EditorProps = { incident: Incident; onChange(incident: Incident): void };
type PostProps = EditorProps & { components: readonly Component[] };

/** The form for the next public update. */
export function PostUpdate({ incident, components, onChange }: PostProps) {
  const app = useApp();
  const form = useForm(`update ${incident.id}`, { state: incident.state, body: '' }, async ({ state, body }) => {
    onChange(await read(postUpdate(app.api.client, incident, state, body.trim())));
    // The next update starts empty.
    form.change({ body: '' });
    app.announce('Update published');
  });
  const { state, body } = form.draft;
  const insert = (template: Template): void => {
    const typed = body.trim();
    form.change({ state: template.state, body: typed === '' ? template.text : `${typed}\n\n${template.text}` });
  };
  return (
    <form.Form class="card" label="Post an update">
      <h2>Post an update</h2>
      <div class="pair">
        <form.Choice name="state" label="State" choices={incidentStateChoices} />
        <Templates names={affectedNames(incident, components)} insert={insert} />
      </div>
      {state === 'resolved' && incident.state !== 'resolved' && (
        <DownWarning incident={incident} components={components} />
      )}
      <MarkdownField
        field={form.text('body')}
        label="Message"
        hint="Markdown; published immediately and sent to subscribers. “Resolved” closes the incident."
        rows={8}
        maxLength={updateLengthMax}
      />
      <form.Footer submit="Publish update" />
    </form.Form>
  );
}

/** Texts to begin with; choosing one also chooses its state. What was typed before stays, above it. */
function Templates({ names, insert }: { names: readonly string[]; insert(template: Template): void }) {
  const templates = templatesFor(names);
  const choose = (select: HTMLSelectElement): void => {
    const template = templates[Number(select.value)];
    select.value = '';
    if (template !== undefined) insert(template);
  };
  return (
    <label class="field">
      <span class="label">Template</span>
      <select onChange={event => choose(event.currentTarget)}>
        <option value="">Insert a text…</option>
        {templates.map(({ name }, index) => (
          <option key={name} value={index}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What was published, newest first. */
export function Updates({ incident, canWrite, onChange }: EditorProps & { canWrite: boolean }) {
  const { client } = useApp().api;
  const save = async (update: IncidentUpdate, body: string): Promise<void> => {
    const options = { params: { path: { id: incident.id, update_id: update.id } }, body: { body } };
    onChange(await read(client.PATCH('/v0/incidents/{id}/updates/{update_id}', options)));
  };
  return (
    <PublishedUpdates
      updates={incident.updates}
      stateOf={({ state }) => presentation('incidents', state)}
      empty="No updates yet. No one has been notified."
      save={canWrite ? save : null}
    />
  );
}
