import { ActionButton } from '../../kit/button.tsx';
import { plural } from '../../kit/plural.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Alert } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';

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
