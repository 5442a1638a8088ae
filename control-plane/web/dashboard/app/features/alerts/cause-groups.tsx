import type { JSX } from 'preact';
import { ActionButton } from '../../kit/button.tsx';
import { plural } from '../../kit/plural.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Alert, AlertGroup } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { type AlertCause, describeCause, describeMembers } from './causes.ts';
import { isNotifying } from './lists.ts';

const shownMax = 5;
type AlertCausesProps = {
  causes: readonly AlertCause[];
  row(alert: Alert): JSX.Element;
  refresh(): Promise<void>;
};

/** Unresolved alerts: those with one cause together, below what they have in common. */
export function AlertCauses({ causes, row, refresh }: AlertCausesProps) {
  return (
    <div class="cards">
      {causes.map(({ group, alerts }) =>
        group === null ? (
          <ul key={alerts[0]?.id} class="cards">
            {alerts.map(row)}
          </ul>
        ) : (
          <Cause key={group.id} group={group} alerts={alerts} row={row} refresh={refresh} />
        ),
      )}
    </div>
  );
}

type CauseProps = { group: AlertGroup; alerts: readonly Alert[] } & Omit<AlertCausesProps, 'causes'>;

function Cause({ group, alerts, row, refresh }: CauseProps) {
  const app = useApp();
  const action = useAction();
  const open = alerts.filter(isNotifying);
  const acknowledge = async (): Promise<void> => {
    const params = { path: { id: group.id } };
    await read(app.api.client.POST('/v0/alert-groups/{id}/acknowledge', { params }));
    app.announce(`${describeCause(group)}: acknowledged`);
    await refresh();
  };
  return (
    <section class="cause" aria-label={describeCause(group)}>
      <div class="cause-head">
        <h3>{describeCause(group)}</h3>
        <span class="hint">{describeMembers(alerts)}</span>
        {open.length > 0 && app.can('alerts:write') && (
          <ActionButton action={action} work={acknowledge} class="end">
            Acknowledge these {open.length}
          </ActionButton>
        )}
      </div>
      <ProblemNote problem={action.problem} />
      <ul class="cards">{alerts.slice(0, shownMax).map(row)}</ul>
      {alerts.length > shownMax && (
        <details>
          <summary>{plural(alerts.length - shownMax, 'more alert')}</summary>
          <ul class="cards">{alerts.slice(shownMax).map(row)}</ul>
        </details>
      )}
    </section>
  );
}
