import { useMemo, useState } from 'preact/hooks';
import { LinePlot } from '../../../kit/plot/plot.tsx';
import type { Mark, Plot } from '../../../kit/plot/plot-scale.ts';
import { ProblemNote } from '../../../kit/problem.tsx';
import { ApiProblem, read } from '../../../session/api.ts';
import type { Alert, CheckResult, Monitor, Uptime, VerdictRow } from '../../../session/api-types.ts';
import { type App, useApp } from '../../../session/app.ts';
import { given } from '../../../session/given.ts';
import { useLoad } from '../../../session/load.ts';
import { readAll } from '../../../session/read-all.ts';
import { Answers } from './answers.tsx';
import { bucketPlot, outageSpans, phasePlot, regionPlot } from './latency-lines.ts';
import { Ping } from './ping.tsx';
import { Ribbon, VoteRows } from './ribbon.tsx';
import { coveredBy, type Shown, stretches, verdictStretches } from './stretches.ts';
import { Values } from './values.tsx';
import { voteRows } from './vote-rows.ts';

const ranges = ['1 h', '24 h', '7 d', '30 d', '90 d'] as const;
type Range = (typeof ranges)[number];
const hoursOf: Record<Range, number> = { '1 h': 1, '24 h': 24, '7 d': 168, '30 d': 720, '90 d': 2160 };
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const checksMax = 1000;
const rowsMax = 1000;
const topics = ['monitors'] as const;
/** Raw results are kept no longer. */
const rawDays = 30;

type Loaded = {
  range: Range;
  shown: Shown;
  verdicts: readonly VerdictRow[];
  windows: readonly { from: number; to: number }[];
  marks: readonly Mark[];
  failed: readonly CheckResult[];
  /** All checks of the last hour; null for longer times. */
  checks: readonly CheckResult[] | null;
  buckets: Uptime['data'];
};

/** What happened to a monitor over the chosen time: verdicts, votes by region, and latency. */
export function History({ monitor, alerts }: { monitor: Monitor; alerts: readonly Alert[] }) {
  const app = useApp();
  const [range, setRange] = useState<Range>('24 h');
  const [phases, setPhases] = useState(false);
  const { id } = monitor;
  const isCounted = monitor.kind === 'events';
  const load = useLoad<Loaded>(
    `${id} ${range}`,
    async (known, changed) =>
      known !== null && changed !== null && changed.size > 0 && !changed.has(id) ? known : readHistory(app, id, range),
    range === '1 h' ? 10_000 : 60_000,
    topics,
  );
  const loaded = load.value;
  const windows =
    loaded === null
      ? []
      : stretches(
          loaded.windows.map(window => ({ ...window, kind: 'maintenance' })),
          loaded.shown,
        );
  const over = loaded !== null && {
    ...{ monitor, range, hours: hoursOf[range] },
    ...{ marks: marksOf(loaded), covered: coveredBy(loaded.shown) },
  };
  const chartRows = useMemo(() => (loaded === null ? [] : chartRowsOf(loaded, monitor)), [loaded, monitor]);
  return (
    <section class="card monitor-history">
      <div class="card-head">
        <h2>History</h2>
        <div class="chips" role="group" aria-label="Time range">
          {ranges.map(each => (
            <button key={each} type="button" class="chip" aria-pressed={each === range} onClick={() => setRange(each)}>
              {each}
            </button>
          ))}
        </div>
      </div>
      {loaded === null && load.freshness.error instanceof ApiProblem && <ProblemNote problem={load.freshness.error} />}
      {loaded === null && load.freshness.error === null && <div class="bone plot" />}
      {loaded !== null && over && (
        <>
          <h3>Verdict</h3>
          <Ribbon found={verdictStretches(loaded.verdicts, loaded.shown)} windows={windows} />
          <h3>Votes by region</h3>
          <VoteRows chartRows={chartRows} windows={windows} />
          <p class="hint">{describeRows(loaded)}</p>
          <div class="card-head">
            <h3>{isCounted ? 'Value' : 'Latency'}</h3>
            {loaded.checks !== null && !isCounted && (
              <button type="button" class="chip" aria-pressed={phases} onClick={() => setPhases(!phases)}>
                Phases
              </button>
            )}
          </div>
          {isCounted ? (
            <Values {...over} alerts={alerts} />
          ) : (
            <Latency loaded={loaded} alerts={alerts} phases={phases} />
          )}
          {monitor.kind === 'dns' && <Answers monitor={monitor} range={range} hours={hoursOf[range]} />}
          {monitor.kind === 'ping' && <Ping {...over} spans={outageSpans(alerts, app.api.nowMs())} />}
        </>
      )}
    </section>
  );
}

function Latency({ loaded, alerts, phases }: { loaded: Loaded; alerts: readonly Alert[]; phases: boolean }) {
  const app = useApp();
  const plot = plotOf(loaded, phases);
  if (plot.lines.every(({ values }) => values.every(value => value === null)))
    return <p class="empty">No responses in this time.</p>;
  const marks = marksOf(loaded);
  return (
    <>
      <p class="hint">{describeLatency(loaded, phases)}</p>
      <LinePlot
        name={`Latency, ${loaded.range}`}
        plot={{ ...plot, marks, spans: outageSpans(alerts, app.api.nowMs()), covered: coveredBy(loaded.shown) }}
      />
      {marks.length > 0 && <p class="hint">{marks.map(({ label }) => label).join(' · ')}</p>}
    </>
  );
}

function marksOf({ marks, shown }: Loaded): readonly Mark[] {
  return marks.filter(({ at }) => at * 1000 >= shown.fromMs);
}

function plotOf({ checks, buckets, range, shown }: Loaded, phases: boolean): Plot {
  if (checks !== null) return phases ? phasePlot(checks) : regionPlot(checks);
  const stepMs = range === '90 d' ? dayMs : hourMs;
  return bucketPlot(buckets, stepMs, shown);
}

function describeLatency({ checks, range }: Loaded, phases: boolean): string {
  if (checks === null) return `Median and 95th percentile by ${range === '90 d' ? 'day' : 'hour'}. Outages are shaded.`;
  return phases
    ? 'Average across all regions per minute, stacked by phase. Outages are shaded.'
    : 'Each check, by region. Outages are shaded.';
}

function chartRowsOf({ verdicts, failed, shown }: Loaded, monitor: Monitor) {
  const oldest = Math.min(...failed.map(({ scheduled_at }) => Date.parse(scheduled_at)));
  const completeFromMs = failed.length < checksMax ? shown.toMs - rawDays * dayMs : oldest;
  return voteRows({ rows: verdicts, monitor, checks: failed, completeFromMs }, shown);
}

function describeRows({ failed, range }: Loaded): string {
  if (range === '90 d') return `Before the last ${rawDays} days: the votes at each change of the verdict.`;
  if (failed.length >= checksMax)
    return `Before the newest ${checksMax} bad checks: the votes at each change of the verdict.`;
  return 'Hatched: no vote that counted, or maintenance below. Gaps: no vote is stored.';
}

async function readHistory(app: App, id: string, range: Range): Promise<Loaded> {
  const { api } = app;
  const toMs = api.nowMs();
  const shown = { fromMs: toMs - hoursOf[range] * hourMs, toMs };
  const from = new Date(shown.fromMs).toISOString();
  const path = { id };
  const checks = (status?: CheckResult['status']): Promise<CheckResult[]> =>
    readAll(
      page =>
        api.client.GET('/v0/monitors/{id}/checks', {
          params: { path, query: { from, ...given({ status }), ...page } },
        }),
      checksMax,
    );
  const [within, before, windows, marks, failed, warned, all, buckets] = await Promise.all([
    readAll(
      page => api.client.GET('/v0/monitors/{id}/verdicts', { params: { path, query: { from, ...page } } }),
      rowsMax,
    ),
    read(api.client.GET('/v0/monitors/{id}/verdicts', { params: { path, query: { to: from, limit: 1 } } })),
    readWindows(app, id, shown),
    readMarks(app, from),
    checks('err'),
    checks('warn'),
    range === '1 h' ? checks() : null,
    range === '1 h' ? [] : readBuckets(app, id, range, shown),
  ]);
  return {
    range,
    shown,
    verdicts: [...within, ...before.data],
    windows,
    marks,
    failed: [...failed, ...warned],
    checks: all,
    buckets,
  };
}

async function readBuckets({ api }: App, id: string, range: Range, { fromMs }: Shown): Promise<Uptime['data']> {
  const granularity = range === '90 d' ? 'day' : 'hour';
  const query = { granularity, from: new Date(fromMs).toISOString() } as const;
  const { data } = await read(api.client.GET('/v0/monitors/{id}/uptime', { params: { path: { id }, query } }));
  return data;
}

/** The windows of maintenance in the shown time; none if the token may not see them. */
async function readWindows({ api, can }: App, id: string, { fromMs, toMs }: Shown) {
  if (!can('maintenances:read')) return [];
  const range = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  const query = { monitor_id: id, ...range, limit: 20 };
  const { data } = await read(api.client.GET('/v0/maintenances', { params: { query } }));
  const lists = await Promise.all(
    data.map(window =>
      read(api.client.GET('/v0/maintenances/{id}/occurrences', { params: { path: { id: window.id }, query: range } })),
    ),
  );
  return lists.flatMap(list =>
    list.data
      .filter(({ state }) => state !== 'cancelled')
      .map(({ starts_at, ends_at }) => ({ from: Date.parse(starts_at), to: Date.parse(ends_at) })),
  );
}

/** Releases and incidents of the shown time, the newest of each. */
async function readMarks({ api, can }: App, from: string): Promise<Mark[]> {
  const query = { from, limit: 20 };
  const [releases, incidents] = await Promise.all([
    can('releases:read') ? read(api.client.GET('/v0/releases', { params: { query } })) : { data: [] },
    can('incidents:read') ? read(api.client.GET('/v0/incidents', { params: { query } })) : { data: [] },
  ]);
  return [
    ...releases.data.map(({ released_at, version }) => ({
      at: Date.parse(released_at) / 1000,
      label: `▲ ${version}`,
    })),
    ...incidents.data.map(({ started_at, title }) => ({ at: Date.parse(started_at) / 1000, label: `● ${title}` })),
  ];
}
