import { useState } from 'preact/hooks';
import { read } from '../../data/api.ts';
import type { Component, Incident, IncidentUpdate } from '../../data/api-types.ts';
import { postUpdate } from '../../data/incident-update.ts';
import { templatesFor } from '../../data/update-templates.ts';
import { Badge } from '../../parts/badge.tsx';
import { SubmitButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Form, type Values, writeField } from '../../parts/form.tsx';
import { incidentStateChoices, presentation } from '../../parts/labels.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { MarkdownField } from '../../parts/markdown-field.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';
import { DownWarning } from './down-warning.tsx';

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
        maxLength={25_000}
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
  const [edited, setEdited] = useState<IncidentUpdate | null>(null);
  const close = () => setEdited(null);
  return (
    <section class="card">
      <h2>Updates</h2>
      {incident.updates.length === 0 && <p class="hint">No updates yet. No one has been notified.</p>}
      <ol class="updates">
        {incident.updates.toReversed().map(update => (
          <Update key={update.id} update={update} edit={canWrite ? () => setEdited(update) : null} />
        ))}
      </ol>
      {edited !== null && <EditUpdate incident={incident} update={edited} onChange={onChange} close={close} />}
    </section>
  );
}

function Update({ update, edit }: { update: IncidentUpdate; edit: (() => void) | null }) {
  const { state, posted_at, edited_at, body } = update;
  return (
    <li>
      <div class="state">
        <Badge state={presentation('incidents', state)} />
        <Ago at={posted_at} />
        {edited_at !== null && (
          <span class="hint">
            edited <Ago at={edited_at} />
          </span>
        )}
        {edit !== null && (
          <button type="button" class="quiet end" onClick={edit}>
            Edit
          </button>
        )}
      </div>
      <div class="markdown">
        <Markdown text={body} />
      </div>
    </li>
  );
}

type EditProps = EditorProps & { update: IncidentUpdate; close(): void };

function EditUpdate({ incident, update, onChange, close }: EditProps) {
  const app = useApp();
  const action = useAction();
  const save = async (values: Values): Promise<void> => {
    const params = { path: { id: incident.id, update_id: update.id } };
    const body = { body: values.text('body') };
    onChange(await read(app.api.client.PATCH('/v0/incidents/{id}/updates/{update_id}', { params, body })));
    close();
  };
  return (
    <Dialog title="Edit the update" close={close} class="wide">
      <Form action={action} submit={save}>
        <MarkdownField
          label="Corrected text"
          name="body"
          id="edited-body"
          action={action}
          hint="The page marks the update as edited. No notifications are sent."
          rows={10}
          maxLength={25_000}
          value={update.body}
        />
        <ProblemNote problem={action.problem} fields={['body']} />
        <div class="buttons">
          <SubmitButton action={action}>Save</SubmitButton>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
