import { measureDetection } from './detection.ts';
import { measureFanOut } from './fan-out.ts';
import { measurePages } from './pages.ts';
import { benchProbe } from './probe.ts';
import { measureResults } from './results.ts';
import { type Row, type RowRun, type Rows, runRows } from './row.ts';

// `npm run bench -- P1 P2`: rows of the scorecard on speed.

const rows: Rows = {
  P1: { what: 'CPU and memory of the agent a check, against prometheus-blackbox-exporter', measure: measureProbe },
  P2: { what: 'results a second, stored and judged, against COPY', measure: measureResults },
  P7: {
    what: 'status page of 90 components × 90 days while it changes, against nginx with the same bytes',
    measure: measurePages,
  },
  P5: { what: 'real outage until the alert is open, against the interval', measure: measureDetection },
  'fan-out': { what: 'an update queued for 10,000 subscribers, and mailed', measure: measureFanOut },
};

await runRows('npm run bench --', rows, process.argv.slice(2));

async function measureProbe({ full }: RowRun): Promise<Row> {
  const row = await benchProbe(full ? 5 : 3, 8000);
  const { httpsRatio, httpRatio, rssAt1000Mb, bytesPerMonitor } = row.figure;
  const cheap = [httpsRatio, httpRatio].every(ratio => ratio !== null && ratio <= row.target.httpsRatio);
  const small = rssAt1000Mb <= row.target.rssAt1000Mb && bytesPerMonitor <= row.target.bytesPerMonitor;
  return { ...row, pass: cheap && small };
}
