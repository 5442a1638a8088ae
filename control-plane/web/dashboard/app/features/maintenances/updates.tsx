import { useForm } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { maintenanceStateChoices, presentation } from '../../kit/labels.ts';
import { read } from '../../session/api.ts';
import type { Maintenance, MaintenanceUpdate } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { updateLengthMax } from '../updates/edit-update-dialog.tsx';
import { PublishedUpdates } from '../updates/published-updates.tsx';

type UpdatesProps = { maintenance: Maintenance; onChange(maintenance: Maintenance): void };

/** The form for the next public update of the occurrence in progress, else the next one. */
export function PostUpdate({ maintenance, onChange }: UpdatesProps) {
  const app = useApp();
  const { id, current, next } = maintenance;
  const state: MaintenanceUpdate['state'] = current === null ? 'scheduled' : 'in_progress';
  const form = useForm(`maintenance update ${id}`, { state, body: '' }, async draft => {
    const body = { state: draft.state, body: draft.body.trim() };
    onChange(await read(app.api.client.POST('/v0/maintenances/{id}/updates', { params: { path: { id } }, body })));
    form.change({ body: '' });
    app.announce('Update published');
  });
  if (current === null && next === null) return null;
  return (
    <form.Form class="card" label="Post an update">
      <h2>Post an update</h2>
      <form.Choice name="state" label="State" choices={maintenanceStateChoices} />
      <MarkdownField
        field={form.text('body')}
        label="Message"
        hint="Markdown; published immediately and sent to subscribers. “Completed” ends the window."
        rows={6}
        maxLength={updateLengthMax}
      />
      <form.Footer submit="Publish update" />
    </form.Form>
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
