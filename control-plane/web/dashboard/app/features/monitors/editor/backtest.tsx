import { useEffect, useState } from 'preact/hooks';
import { ActionButton } from '../../../kit/button.tsx';
import { useFields } from '../../../kit/form/fields.tsx';
import { ProblemNote } from '../../../kit/problem.tsx';
import { At } from '../../../kit/time.tsx';
import { useAction } from '../../../session/action.ts';
import { read } from '../../../session/api.ts';
import type { BacktestChanges, Backtest as BacktestData } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { AlertRows } from './alert-rows.tsx';
import { backtestRows, describeBacktest, describeNotReplayable } from './backtest-words.ts';

type BacktestProps = { monitorId: string; changes: Readonly<Record<string, unknown>> };
const dayMs = 86_400_000;
const shownMax = 12;
const rangeChoices = [
  ['1', '24 hours'],
  ['7', '7 days'],
  ['28', '28 days'],
] as const;

/** Which alerts there would have been with the settings that are being edited. */
export function Backtest({ monitorId, changes }: BacktestProps) {
  const { api } = useApp();
  const action = useAction();
  const range = useFields({ days: '7' });
  const { days } = range.draft;
  const [found, setFound] = useState<BacktestData | null>(null);
  const key = JSON.stringify([changes, days]);
  useEffect(() => setFound(null), [key]);
  const run = async (): Promise<void> => {
    const to = api.nowMs();
    const span = { from: new Date(to - Number(days) * dayMs).toISOString(), to: new Date(to).toISOString() };
    const body = { changes: changes as BacktestChanges, partial: true, ...span };
    const params = { path: { id: monitorId } };
    setFound(await read(api.client.POST('/v0/monitors/{id}/backtest', { params, body })));
  };
  return (
    <section class="card" aria-label="Back-test">
      <h2>What would have happened?</h2>
      <p class="hint">Re-evaluates the stored results with the settings above. Nothing is saved.</p>
      <div class="buttons">
        <ActionButton action={action} work={run}>
          Try on stored results
        </ActionButton>
        <range.Choice name="days" label="Of the last" choices={rangeChoices} />
      </div>
      <ProblemNote problem={action.problem} />
      {found !== null && <Found backtest={found} />}
    </section>
  );
}

function Found({ backtest }: { backtest: BacktestData }) {
  const rows = backtestRows(backtest);
  return (
    <div role="status">
      <p class="answer">{describeBacktest(backtest)}</p>
      {backtest.not_replayable.length > 0 && (
        <div class="note">
          <p>Left out, because stored results cannot tell:</p>
          <ul>
            {backtest.not_replayable.map(each => (
              <li key={each.pointer}>{describeNotReplayable(each)}.</li>
            ))}
          </ul>
        </div>
      )}
      <AlertRows backtest={backtest} />
      {rows.length > 0 && (
        <table>
          <caption class="unseen">Alerts that would differ, latest first</caption>
          <thead>
            <tr>
              <th scope="col">Alert</th>
              <th scope="col">Opened</th>
              <th scope="col">What changes</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownMax).map(({ change, alert, detail }) => (
              <tr key={`${change} ${alert.opened_at} ${alert.kind}`}>
                <td>
                  <span class={`change ${change}`}>{change}</span>
                </td>
                <td>
                  <At at={alert.opened_at} />
                </td>
                <td>{detail}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > shownMax && <p class="hint">and {rows.length - shownMax} more</p>}
    </div>
  );
}
