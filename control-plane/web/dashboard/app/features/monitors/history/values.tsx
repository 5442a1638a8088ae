import { useMemo } from 'preact/hooks';
import { LinePlot } from '../../../kit/plot/plot.tsx';
import type { Mark, Span } from '../../../kit/plot/plot-scale.ts';
import type { Alert, CheckResult, Monitor } from '../../../session/api-types.ts';
import { type App, useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { readAll } from '../../../session/read-all.ts';
import { outageSpans } from './latency-lines.ts';
import { valuePlot } from './value-lines.ts';

/** A day of minutes. */
const valuesMax = 1440;

type ValuesProps = {
  monitor: Monitor;
  alerts: readonly Alert[];
  range: string;
  hours: number;
  marks: readonly Mark[];
  covered: Span;
};

/** What stored events came to over the chosen time. */
export function Values({ monitor, alerts, range, hours, marks, covered }: ValuesProps) {
  const app = useApp();
  const load = useLoad(`values of ${monitor.id} ${range}`, () => readValues(app, monitor.id, hours), 60_000);
  const checks = load.value;
  const plot = useMemo(() => valuePlot(checks ?? [], monitor.assertions), [checks, monitor.assertions]);
  if (checks === null) return <div class="bone plot" />;
  if (plot.lines[0]?.values.every(value => value === null) !== false)
    return <p class="empty">Nothing was counted in this time.</p>;
  const spans = outageSpans(alerts, app.api.nowMs());
  const newest = checks.length < valuesMax ? '' : `The newest ${valuesMax.toLocaleString('en')} values. `;
  return (
    <>
      <p class="hint">{newest}Gaps: nothing could be said. Outages are shaded.</p>
      <LinePlot name={`Value, ${range}`} plot={{ ...plot, spans, marks, covered }} />
      {marks.length > 0 && <p class="hint">{marks.map(({ label }) => label).join(' · ')}</p>}
    </>
  );
}

async function readValues({ api }: App, id: string, hours: number): Promise<CheckResult[]> {
  const from = new Date(api.nowMs() - hours * 3_600_000).toISOString();
  return readAll(
    page => api.client.GET('/v0/monitors/{id}/checks', { params: { path: { id }, query: { from, ...page } } }),
    valuesMax,
  );
}
