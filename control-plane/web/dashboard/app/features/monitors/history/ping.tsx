import { useMemo } from 'preact/hooks';
import { LinePlot } from '../../../kit/plot/plot.tsx';
import type { Mark, Span } from '../../../kit/plot/plot-scale.ts';
import { ProblemNote } from '../../../kit/problem.tsx';
import { ApiProblem, read } from '../../../session/api.ts';
import type { Monitor } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { describeSince, rangeQuery } from './kept-results.ts';
import { lossOf, type PingRow, pingPlots, pingRows } from './ping-lines.ts';

const hourMs = 3_600_000;

export type OverTimeProps = { monitor: Monitor; range: string; hours: number };
type PingProps = OverTimeProps & { spans: readonly Span[]; marks: readonly Mark[]; covered: Span };

/** Packet loss and jitter over the chosen time, with their figures as a table. */
export function Ping({ monitor, range, hours, ...drawn }: PingProps) {
  const { api } = useApp();
  const load = useLoad(
    `pings of ${monitor.id} ${range}`,
    async () => {
      const toMs = api.nowMs();
      const params = { path: { id: monitor.id }, query: rangeQuery(toMs, hours) };
      const found = await read(api.client.GET('/v0/monitors/{id}/ping-figures', { params }));
      return { found, shown: { fromMs: toMs - hours * hourMs, toMs } };
    },
    range === '1 h' ? 10_000 : 60_000,
  );
  const { value, freshness } = load;
  const plots = useMemo(
    () => (value === null ? null : pingPlots(value.found, monitor.interval_seconds, value.shown)),
    [value, monitor.interval_seconds],
  );
  if (value === null || plots === null)
    return freshness.error instanceof ApiProblem ? (
      <ProblemNote problem={freshness.error} />
    ) : (
      <div class="bone plot" />
    );
  const { found } = value;
  const { loss, jitter } = plots;
  const since = describeSince(found.complete_from, api.nowMs(), hours);
  const hasJitter = found.data.some(({ jitter_ms }) => jitter_ms !== null);
  return (
    <>
      <h3>Packet loss</h3>
      {found.data.length === 0 ? (
        <p class="empty">No packets were sent in this time.</p>
      ) : (
        <>
          <p class="hint">{since}Packets without a reply, by region. Outages are shaded.</p>
          <LinePlot name={`Packet loss, ${range}`} plot={{ ...loss, ...drawn }} />
          <h3>Jitter</h3>
          {hasJitter ? (
            <LinePlot name={`Jitter, ${range}`} plot={{ ...jitter, ...drawn }} />
          ) : (
            <p class="empty">No check had two replies in a row to compare.</p>
          )}
          <PingTable rows={pingRows(found.data)} />
        </>
      )}
    </>
  );
}

function PingTable({ rows }: { rows: readonly PingRow[] }) {
  return (
    <details>
      <summary>Figures by region</summary>
      <div class="wide-table">
        <table class="ping-table">
          <thead>
            <tr>
              <th>Region</th>
              <th>Sent</th>
              <th>Lost</th>
              <th>Loss</th>
              <th>Worst loss</th>
              <th>Jitter</th>
              <th>Worst jitter</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ region, sent, received, worstLoss, jitter, worstJitter }) => (
              <tr key={region}>
                <td>{region}</td>
                <td data-label="Sent">{sent.toLocaleString('en')}</td>
                <td data-label="Lost">{(sent - received).toLocaleString('en')}</td>
                <td data-label="Loss">{lossOf({ sent, received })} %</td>
                <td data-label="Worst loss">{worstLoss} %</td>
                <td data-label="Jitter">{msText(jitter)}</td>
                <td data-label="Worst jitter">{msText(worstJitter)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** With what a local network has of it. */
function msText(ms: number | null): string {
  return ms === null ? '–' : `${ms} ms`;
}
