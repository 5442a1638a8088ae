import { useState } from 'preact/hooks';
import { read } from '../../data/server/api.ts';
import type { Monitor } from '../../data/server/api-types.ts';
import { ActionButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';

type ActionsProps = { monitor: Monitor; onChange(monitor: Monitor): void };

/** What can be done with a monitor. */
export function MonitorActions({ monitor, onChange }: ActionsProps) {
  const app = useApp();
  const action = useAction();
  const [isDeleting, setDeleting] = useState(false);
  const { id, enabled, name } = monitor;
  const { client } = app.api;
  const params = { path: { id } };
  const pauseOrResume = async (): Promise<void> => {
    onChange(await read(client.POST(`/v0/monitors/{id}/${enabled ? 'pause' : 'resume'}`, { params })));
    app.announce(`${name}: ${enabled ? 'paused' : 'resumed'}`);
  };
  const checkNow = async (): Promise<void> => {
    await client.POST('/v0/monitors/{id}/check-now', { params, body: {} });
    app.announce(`${name}: checking now`);
  };
  return (
    <>
      {enabled && (
        <ActionButton action={action} work={checkNow}>
          Check now
        </ActionButton>
      )}
      <ActionButton action={action} work={pauseOrResume}>
        {enabled ? 'Pause' : 'Resume'}
      </ActionButton>
      <a class="button" href={`#/monitors/${id}/edit`}>
        Edit
      </a>
      <a class="button" href={`#/monitors/new?from=${id}`}>
        Duplicate
      </a>
      <button type="button" class="danger" onClick={() => setDeleting(true)}>
        Delete…
      </button>
      <ProblemNote problem={action.problem} />
      {isDeleting && <DeleteDialog monitor={monitor} close={() => setDeleting(false)} />}
    </>
  );
}

function DeleteDialog({ monitor, close }: { monitor: Monitor; close(): void }) {
  const app = useApp();
  const action = useAction();
  const remove = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/monitors/{id}', { params: { path: { id: monitor.id } } });
    app.announce(`${monitor.name}: deleted`);
    app.go('#/monitors');
  };
  return (
    <Dialog title={`Delete ${monitor.name}?`} close={close}>
      <p>It is no longer checked, and its open alert is resolved. Its history stays readable for 30 days.</p>
      <ProblemNote problem={action.problem} />
      <div class="buttons">
        <ActionButton action={action} work={remove} class="danger">
          Delete monitor
        </ActionButton>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
