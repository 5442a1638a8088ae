import { useState } from 'preact/hooks';

import type { Alert, CheckResult, Uptime } from '../../data/api-types.ts';
import { LatencyPlot } from '../../parts/plot.tsx';
import type { Plot } from '../../parts/plot-scale.ts';
import { type App, useApp } from '../../state/app.ts';
import { useLoad } from '../../state/load.ts';
import { hourlyPlot, outageSpans, regionPlot } from './latency-lines.ts';

const ranges = ['1 h', '24 h', '7 d', '30 d'] as const;
type Range = (typeof ranges)[number];
const hoursOf: Record<Range, number> = { '1 h': 1, '24 h': 24, '7 d': 168, '30 d': 720 };
const hourMs = 3_600_000;
const checksMax = 1000;

/** Latency over the chosen time range: single checks by region for an hour, else median and 95th percentile by hour. */
export function Latency({ monitorId, alerts }: { monitorId: string; alerts: readonly Alert[] }) {
  const app = useApp();
  const [range, setRange] = useState<Range>('24 h');
  const load = useLoad(`${monitorId} ${range}`, () => read(app, monitorId, range), range === '1 h' ? 10_000 : 60_000);
  const plot = load.value;
  const isEmpty = plot?.lines.every(({ values }) => values.every(value => value === null)) ?? false;
  return (
    <section class="card">
      <div class="card-head">
        <h2>Latency</h2>
        <div class="chips" role="group" aria-label="Time range">
          {ranges.map(each => (
            <button key={each} type="button" class="chip" aria-pressed={each === range} onClick={() => setRange(each)}>
              {each}
            </button>
          ))}
        </div>
      </div>
      <p class="hint">
        {range === '1 h' ? 'Each check, by region.' : 'Median and 95th percentile by hour.'} Outages are shaded.
      </p>
      {plot === null && <div class="bone plot" />}
      {plot !== null && isEmpty && <p class="empty">No responses in this time.</p>}
      {plot !== null && !isEmpty && (
        <LatencyPlot name={`Latency, ${range}`} plot={{ ...plot, spans: outageSpans(alerts, app.api.nowMs()) }} />
      )}
    </section>
  );
}

async function read({ api }: App, monitorId: string, range: Range): Promise<Plot> {
  const hours = hoursOf[range];
  const from = new Date(api.nowMs() - hours * hourMs).toISOString();
  if (range === '1 h') return regionPlot(await readChecks(api, monitorId, from));
  const query = { granularity: 'hour', from: new Date(api.nowMs() - (hours - 1) * hourMs).toISOString() };
  const { data } = await api.get<Uptime>(`/v0/monitors/${monitorId}/uptime`, query);
  return hourlyPlot(data, hours, api.nowMs());
}

async function readChecks(api: App['api'], monitorId: string, from: string): Promise<CheckResult[]> {
  return api.all<CheckResult>(`/v0/monitors/${monitorId}/checks`, { from }, checksMax);
}
