import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { saveAs } from '../../kit/save-as.ts';
import { useAction } from '../../session/action.ts';
import { useApp } from '../../session/app.ts';

/** What the law lets a user ask for: a copy of everything, and that it goes. */
export function UserActions({ id, refresh }: { id: string; refresh(): unknown }) {
  const app = useApp();
  const saving = useAction();
  const [isErasing, setErasing] = useState(false);
  const save = async (): Promise<void> => {
    const content = await app.api.download(`/v0/users/${encodeURIComponent(id)}/export`, 'application/x-ndjson');
    saveAs(content, 'user.ndjson');
  };
  const erase = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/users/{external_id}', { params: { path: { external_id: id } } });
    app.announce('The user is being erased');
    await refresh();
  };
  return (
    <>
      {app.can('users:read') && (
        <ActionButton action={saving} work={save}>
          Export
        </ActionButton>
      )}
      {app.can('users:write') && (
        <button type="button" class="danger" onClick={() => setErasing(true)}>
          Erase
        </button>
      )}
      <ProblemNote problem={saving.problem} />
      {isErasing && (
        <ConfirmDialog title="Erase this user?" button="Erase" close={() => setErasing(false)} work={erase} typed={id}>
          <p>
            All events of the user that arrived until now are deleted within the hour, and names, trends and funnels are
            counted again without them. Events that arrive later count anew.
          </p>
          <p>
            Counts of days whose events are not stored any more stay as they are: they hold numbers and hashes, no IDs.
            Backups hold the events until they are deleted. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
