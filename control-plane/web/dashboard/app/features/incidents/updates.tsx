import { useState } from 'preact/hooks';
import { SubmitButton } from '../../kit/button.tsx';
import { Choice, Form, type Values, writeField } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { incidentStateChoices, presentation } from '../../kit/labels.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Component, Incident, IncidentUpdate } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { updateLengthMax } from '../updates/edit-update-dialog.tsx';
import { PublishedUpdates } from '../updates/published-updates.tsx';
import { DownWarning } from './down-warning.tsx';
import { postUpdate } from './post-update.ts';
import { templatesFor } from './update-templates.ts';

type EditorProps = { incident: Incident; onChange(incident: Incident): void };

type PostProps = EditorProps & { components: readonly Component[] };

/** The form for the next public update. */
export function PostUpdate({ incident, components, onChange }: PostProps) {
  const app = useApp();
  const action = useAction();
  const [posted, setPosted] = useState(0);
  const [state, setState] = useState<string>(incident.state);
  const isResolving = state === 'resolved' && incident.state !== 'resolved';
  const publish = async (values: Values): Promise<void> => {
    const next = values.text('state') as IncidentUpdate['state'];
    onChange(await read(postUpdate(app.api.client, incident, next, values.text('body'))));
    // The next update starts empty.
    setPosted(count => count + 1);
    app.announce('Update published');
  };
  return (
    <Form class="card" label="Post an update" draft={`update ${incident.id}`} action={action} submit={publish}>
      <h2>Post an update</h2>
      <div class="pair">
        <Choice
          label="State"
          name="state"
          action={action}
          value={incident.state}
          choices={incidentStateChoices}
          onChange={setState}
        />
        <Templates incident={incident} components={components} onState={setState} />
      </div>
      {isResolving && <DownWarning incident={incident} components={components} />}
      <MarkdownField
        key={posted}
        label="Message"
        name="body"
        action={action}
        hint="Markdown; published immediately and sent to subscribers. “Resolved” closes the incident."
        rows={8}
        maxLength={updateLengthMax}
      />
      <ProblemNote problem={action.problem} fields={['body', 'state']} />
      <div class="buttons">
        <SubmitButton action={action}>Publish update</SubmitButton>
      </div>
    </Form>
  );
}

type TemplatesProps = { incident: Incident; components: readonly Component[]; onState(state: string): void };

/** Texts to begin with; choosing one also chooses its state. What was typed before stays, above it. */
function Templates({ incident: { affected_components }, components, onState }: TemplatesProps) {
  const names = components.filter(({ id }) => affected_components.includes(id)).map(({ name }) => name);
  const templates = templatesFor(names);
  const insert = (select: HTMLSelectElement): void => {
    const template = templates[Number(select.value)];
    const { form } = select;
    select.value = '';
    if (template === undefined || form === null) return;
    const typed = String(new FormData(form).get('body') ?? '').trim();
    writeField(form, 'body', typed === '' ? template.text : `${typed}\n\n${template.text}`);
    writeField(form, 'state', template.state);
    onState(template.state);
  };
  return (
    <label class="field">
      <span class="label">Template</span>
      <select onChange={event => insert(event.currentTarget)}>
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
