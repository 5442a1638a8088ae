import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Monitor } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { isOfAgents } from './editor/kind-draft.ts';

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
      {enabled && isOfAgents(monitor.kind) && (
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
