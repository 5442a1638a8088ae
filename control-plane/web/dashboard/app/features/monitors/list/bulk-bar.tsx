import { useEffect, useState } from 'preact/hooks';
import { ActionButton } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog/dialog.tsx';
import { Skeleton } from '../../../kit/page.tsx';
import { plural } from '../../../kit/plural.ts';
import { ProblemNote } from '../../../kit/problem.tsx';
import { useAction } from '../../../session/action.ts';
import { read } from '../../../session/api.ts';
import type { BulkItem, Monitor } from '../../../session/api-types.ts';
import { type App, useApp } from '../../../session/app.ts';

const bulkActions = ['pause', 'resume', 'check_now', 'delete'] as const;
type BulkAction = (typeof bulkActions)[number];
const labels: Record<BulkAction, string> = {
  pause: 'Pause',
  resume: 'Resume',
  check_now: 'Check now',
  delete: 'Delete',
};
const perCall = 500;
const namedMax = 8;

type BulkBarProps = { monitors: readonly Monitor[]; clear(): void; refresh(): Promise<void> };

/** What can be done with the selected monitors; each action says first which of them it would change. */
export function BulkBar({ monitors, clear, refresh }: BulkBarProps) {
  const [asked, setAsked] = useState<BulkAction | null>(null);
  const done = async (): Promise<void> => {
    setAsked(null);
    clear();
    await refresh();
  };
  return (
    <section class="bulk-bar" aria-label="Selected monitors">
      <strong>{plural(monitors.length, 'monitor')} selected</strong>
      {bulkActions.map(action => (
        <button
          key={action}
          type="button"
          class={action === 'delete' ? 'danger' : undefined}
          onClick={() => setAsked(action)}
        >
          {labels[action]}…
        </button>
      ))}
      <button type="button" class="quiet end" onClick={clear}>
        Clear selection
      </button>
      {asked !== null && <Confirm action={asked} monitors={monitors} close={() => setAsked(null)} done={done} />}
    </section>
  );
}

type ConfirmProps = { action: BulkAction; monitors: readonly Monitor[]; close(): void; done(): Promise<void> };

function Confirm({ action, monitors, close, done }: ConfirmProps) {
  const app = useApp();
  const running = useAction();
  const [preview, setPreview] = useState<BulkItem[] | null>(null);
  const [failed, setFailed] = useState<BulkItem[]>([]);
  useEffect(() => {
    void running.run(async () => setPreview(await runBulk(app, action, monitors, true)));
  }, []);
  const affected = (preview ?? []).filter(({ outcome }) => outcome === 'changed');
  const run = async (): Promise<void> => {
    const items = await runBulk(app, action, monitors, false);
    const refused = items.filter(({ outcome }) => outcome === 'failed');
    setFailed(refused);
    app.announce(`${labels[action]}: ${plural(items.length - refused.length, 'monitor')}`);
    if (refused.length === 0) await done();
  };
  const count = preview === null ? monitors.length : affected.length;
  return (
    <Dialog title={`${labels[action]} ${plural(count, 'monitor')}?`} close={close}>
      {preview === null && running.problem === null && <Skeleton rows={2} />}
      <Names items={affected} />
      {preview !== null && preview.length > affected.length && (
        <p class="hint">{plural(preview.length - affected.length, 'selected monitor')} would not change.</p>
      )}
      {action === 'delete' && <p>Deleted monitors are no longer checked. Their history stays readable for 30 days.</p>}
      {failed.length > 0 && (
        <div class="problem" role="alert">
          <p>{plural(failed.length, 'monitor')} failed:</p>
          <Names items={failed} />
        </div>
      )}
      <ProblemNote problem={running.problem} />
      <div class="buttons">
        {affected.length > 0 && (
          <ActionButton action={running} work={run} class={action === 'delete' ? 'danger' : 'primary'}>
            {labels[action]}
          </ActionButton>
        )}
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

function Names({ items }: { items: readonly BulkItem[] }) {
  return (
    <>
      <ul class="bulk-names">
        {items.slice(0, namedMax).map(({ id, name }) => (
          <li key={id}>{name ?? id}</li>
        ))}
      </ul>
      {items.length > namedMax && <p class="hint">and {items.length - namedMax} more</p>}
    </>
  );
}

async function runBulk({ api }: App, action: BulkAction, monitors: readonly Monitor[], dryRun: boolean) {
  const items: BulkItem[] = [];
  for (let start = 0; start < monitors.length; start += perCall) {
    const ids = monitors.slice(start, start + perCall).map(({ id }) => id);
    const body = { action, ids, dry_run: dryRun };
    const answer = await read(api.client.POST('/v0/monitors/bulk', { body }));
    items.push(...answer.items);
  }
  return items;
}
