import { plural } from '../../data/plural.ts';
import { read } from '../../data/server/api.ts';
import type { Alert } from '../../data/server/api-types.ts';
import { ActionButton } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';

type SelectionProps = { alerts: readonly Alert[]; clear(): void; refresh(): Promise<void> };

/** What can be done with the selected alerts. */
export function Selection({ alerts, clear, refresh }: SelectionProps) {
  const app = useApp();
  const action = useAction();
  const open = alerts.filter(({ state }) => state === 'open');
  const acknowledge = async (): Promise<void> => {
    const { client } = app.api;
    await Promise.all(
      open.map(({ id }) => read(client.POST('/v0/alerts/{id}/acknowledge', { params: { path: { id } } }))),
    );
    app.announce(`${plural(open.length, 'alert')} acknowledged`);
    clear();
    await refresh();
  };
  return (
    <section class="bulk-bar" aria-label="Selected alerts">
      <strong>{plural(alerts.length, 'alert')} selected</strong>
      {open.length > 0 && (
        <ActionButton action={action} work={acknowledge} class="primary">
          Acknowledge {open.length === alerts.length ? 'them' : `the ${open.length} open`}
        </ActionButton>
      )}
      <button type="button" class="quiet end" onClick={clear}>
        Clear selection
      </button>
      <ProblemNote problem={action.problem} />
    </section>
  );
}
