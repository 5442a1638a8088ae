import { useState } from 'preact/hooks';
import { SubmitButton } from '../../kit/button.tsx';
import { Choice, Form, type Values } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { maintenanceStateChoices, presentation } from '../../kit/labels.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Maintenance, MaintenanceUpdate } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { updateLengthMax } from '../updates/edit-update-dialog.tsx';
import { PublishedUpdates } from '../updates/published-updates.tsx';

type UpdatesProps = { maintenance: Maintenance; onChange(maintenance: Maintenance): void };

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
        maxLength={updateLengthMax}
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
  const { client } = useApp().api;
  const { id, updates, announced } = maintenance;
  const save = async (update: MaintenanceUpdate, body: string): Promise<void> => {
    const options = { params: { path: { id, update_id: update.id } }, body: { body } };
    onChange(await read(client.PATCH('/v0/maintenances/{id}/updates/{update_id}', options)));
  };
  const empty = announced
    ? 'No updates yet.'
    : 'Status pages do not show this window. Edit it to announce it there and to post updates.';
  return (
    <PublishedUpdates
      updates={updates}
      stateOf={({ state }) => presentation('maintenances', state)}
      empty={empty}
      save={canWrite ? save : null}
    />
  );
}
