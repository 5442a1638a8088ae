import { measureBacktest } from './backtest.ts';
import { measureBreakdown, measureTrend } from './breakdown.ts';
import { measureDashboard } from './dashboard.ts';
import { measureDetection } from './detection.ts';
import { measureEventMemory } from './event-memory.ts';
import { measureEvents } from './events.ts';
import { measureFanOut } from './fan-out.ts';
import { measureFunnel } from './funnel.ts';
import { measureHeartbeats } from './heartbeats.ts';
import { measureIntake } from './intake.ts';
import { measureKinds } from './kinds.ts';
import { measureLatency } from './latency.ts';
import { measureOperatedEvents } from './operated-events.ts';
import { measureOperated } from './operated-results.ts';
import { measurePages } from './pages.ts';
import { benchProbe } from './probe.ts';
import { measureSizes } from './result-sizes.ts';
import { measureResults } from './results.ts';
import { type Row, type RowRun, type Rows, runRows } from './row.ts';
import { measureScale } from './scale.ts';
import { measureTimeline } from './timeline.ts';
import { measureUptime } from './uptime.ts';

// `npm run bench -- P1 P2`: the rows of docs/benchmarks/speed.md.

const rows: Rows = {
  P1: { what: 'CPU and memory of the agent per check, against prometheus-blackbox-exporter', measure: measureProbe },
  P2: { what: 'results per second, stored and judged, against COPY', measure: measureResults },
  'P2-operated': {
    what: 'CPU of results with 20 routes, 5 maintenance windows and labels, against the same without them',
    measure: measureOperated,
  },
  P3: { what: 'events per second, accepted and committed, against COPY', measure: measureEvents },
  'P3-operated': {
    what: 'events per second with linked sessions, a flow and a monitor of events, in turn with none of them',
    measure: measureOperatedEvents,
  },
  P7: {
    what: 'status page of 90 components × 90 days while it changes, against nginx serving the same bytes',
    measure: measurePages,
  },
  P9: {
    what: '1,000 agents and 100,000 monitors (10,000 and 1,000,000 with --full): restart, memory, PATCH, lists',
    measure: measureScale,
  },
  P13: {
    what: 'error of reported latencies against the clock of the target, beside prometheus-blackbox-exporter',
    measure: measureLatency,
  },
  P14: {
    what: 'CPU of a check of each kind, against prometheus-blackbox-exporter, and of 10,000 heartbeats a minute',
    measure: measureAllKinds,
  },
  P5: { what: 'time from a real outage to its alert, against the interval', measure: measureDetection },
  'P6-timeline': { what: 'timeline pages over 5 million events', measure: measureTimeline },
  'P6-uptime': {
    what: 'uptime of 90 days by day: 100 monitors in three regions (1,000 with --full)',
    measure: measureUptime,
  },
  backtest: {
    what: 'a back-test of a week of a 30-second monitor in three regions, 60,480 results',
    measure: measureBacktest,
  },
  dashboard: {
    what: 'the list of 2,000 monitors in Chromium: time to its first rows, and its cost while nothing happens',
    measure: measureDashboard,
  },
  funnel: { what: 'a funnel over a million events (5 with --full), raw and from the roll-up', measure: measureFunnel },
  breakdown: {
    what: 'a breakdown of seven days over half a million events (5 million with --full)',
    measure: measureBreakdown,
  },
  'trend-90': { what: 'a trend of 90 days over the cells of 50 million events', measure: measureTrend },
  'event-memory': { what: 'memory during a minute at full rate from 50 projects', measure: measureEventMemory },
  sizes: {
    what: 'bytes of 67,200 stored results of all kinds (1,000,000 with --full), on plain and Apache storage',
    measure: measureSizes,
  },
  intake: {
    what: 'CPU per 10,000 results and events by intake: PostgreSQL, and NATS that writes each message to disk',
    measure: measureIntake,
  },
  'fan-out': { what: 'an update queued for and emailed to 10,000 subscribers', measure: measureFanOut },
};

await runRows('npm run bench --', rows, process.argv.slice(2));

async function measureProbe({ full }: RowRun): Promise<Row> {
  const row = await benchProbe(full ? 5 : 3, 8000);
  const { httpsRatio, httpRatio, rssAt1000Mb, bytesPerMonitor } = row.figure;
  const cheap = [httpsRatio, httpRatio].every(ratio => ratio !== null && ratio <= row.target.httpsRatio);
  const small = rssAt1000Mb <= row.target.rssAt1000Mb && bytesPerMonitor <= row.target.bytesPerMonitor;
  return { ...row, pass: cheap && small };
}

async function measureAllKinds(run: RowRun): Promise<Row> {
  const heartbeat = await measureHeartbeats(run);
  const row = await measureKinds(run);
  const [figure, target] = [
    { ...row.figure, heartbeat: heartbeat.figure },
    { ...row.target, heartbeat: heartbeat.target },
  ];
  return { ...row, figure, target, pass: row.pass && heartbeat.isMet };
}
