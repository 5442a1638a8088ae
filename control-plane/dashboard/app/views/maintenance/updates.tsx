import { useState } from 'preact/hooks';
import { read } from '../../data/api.ts';
import type { Maintenance, MaintenanceUpdate } from '../../data/api-types.ts';
import { Badge } from '../../parts/badge.tsx';
import { SubmitButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Form, type Values } from '../../parts/form.tsx';
import { maintenanceStateChoices, presentation } from '../../parts/labels.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { MarkdownField } from '../../parts/markdown-field.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';

type UpdatesProps = { maintenance: Maintenance; onChange(maintenance: Maintenance): void };
const bodyMax = 25_000;

/** The form for the next public update of the occurrence in progress, else the next one. */
export function PostUpdate({ maintenance, onChange }: UpdatesProps) {
  const app = useApp();
  const action = useAction();
  const [posted, setPosted] = useState(0);
  const { id, state, current, next } = maintenance;
  if (current === null && next === null) return null;
  const publish = async (values: Values): Promise<void> => {
    const body = { state: values.text('state') as MaintenanceUpdate['state'], body: values.text('body') };
    onChange(await read(app.api.client.POST('/v0/maintenances/{id}/updates', { params: { path: { id } }, body })));
    setPosted(count => count + 1);
    app.announce('Update published');
  };
  const present = current === null ? 'scheduled' : 'in_progress';
  return (
    <Form class="card" label="Post an update" draft={`maintenance update ${id}`} action={action} submit={publish}>
      <h2>Post an update</h2>
      <Choice
        label="State"
        name="state"
        action={action}
        value={state === 'in_progress' ? 'in_progress' : present}
        choices={maintenanceStateChoices}
      />
      <MarkdownField
        key={posted}
        label="Message"
        name="body"
        action={action}
        hint="Markdown; published immediately and sent to subscribers. “Completed” ends the window."
        rows={6}
        maxLength={bodyMax}
      />
      <ProblemNote problem={action.problem} fields={['body', 'state']} />
      <div class="buttons">
        <SubmitButton action={action}>Publish update</SubmitButton>
      </div>
    </Form>
  );
}

/** What was published, newest first. */
export function Updates({ maintenance, canWrite, onChange }: UpdatesProps & { canWrite: boolean }) {
  const [edited, setEdited] = useState<MaintenanceUpdate | null>(null);
  const { updates, announced } = maintenance;
  const empty = announced
    ? 'No updates yet.'
    : 'Status pages do not show this window. Edit it to announce it there and to post updates.';
  return (
    <section class="card">
      <h2>Updates</h2>
      {updates.length === 0 && <p class="hint">{empty}</p>}
      <ol class="updates">
        {updates.toReversed().map(update => (
          <li key={update.id}>
            <div class="state">
              <Badge state={presentation('maintenances', update.state)} />
              <Ago at={update.posted_at} />
              {update.edited_at !== null && (
                <span class="hint">
                  edited <Ago at={update.edited_at} />
                </span>
              )}
              {canWrite && (
                <button type="button" class="quiet end" onClick={() => setEdited(update)}>
                  Edit
                </button>
              )}
            </div>
            <div class="markdown">
              <Markdown text={update.body} />
            </div>
          </li>
        ))}
      </ol>
      {edited !== null && (
        <EditUpdate maintenance={maintenance} update={edited} onChange={onChange} close={() => setEdited(null)} />
      )}
    </section>
  );
}

type EditProps = UpdatesProps & { update: MaintenanceUpdate; close(): void };

function EditUpdate({ maintenance: { id }, update, onChange, close }: EditProps) {
  const app = useApp();
  const action = useAction();
  const save = async (values: Values): Promise<void> => {
    const options = { params: { path: { id, update_id: update.id } }, body: { body: values.text('body') } };
    onChange(await read(app.api.client.PATCH('/v0/maintenances/{id}/updates/{update_id}', options)));
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
          rows={8}
          maxLength={bodyMax}
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
