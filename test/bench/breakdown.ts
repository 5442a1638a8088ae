import { instant } from '#control-plane/platform/db/sql.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { cpuSecondsOf } from './cpu.ts';
import { writeCells } from './load/cell-history.ts';
import { openProject } from './load/event-senders.ts';
import { writeProperties } from './load/property-history.ts';
import { withSeries } from './load/with-series.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite, type Site } from './site.ts';

const breakdownTarget = { medianMs: 2000 };
const eventsPerDay = 714_286;
const fullDays = 8;
const trendTarget = { medianMs: 50 };
/** 50 million events in 90 days. */
const eventsPerHour = 23_148;

type Asked = { ms: number; cpuSeconds: { postgres: number; controlPlane: number } };

/** A breakdown of seven days up to now over five million events, half a million without `--full`. */
export async function measureBreakdown(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const project = await openProject(site.databaseUrl);
  const nowMs = Date.now();
  const events = fullDays * (run.full ? eventsPerDay : eventsPerDay / 10);
  await writeProperties(site.databaseUrl, project.projectId, Math.round(events), nowMs);
  run.progress('events are written');
  const to = Math.floor(nowMs / hourMs) * hourMs;
  const range = `from=${new Date(to - 7 * dayMs).toISOString()}&to=${new Date(to).toISOString()}`;
  const samples: Asked[] = [];
  for (const property of ['plan', 'referrer', 'amount', 'plan', 'referrer', 'amount']) {
    const path = `/v0/trends?event=paid&breakdown=${property}&${range}`;
    samples.push(await ask(site, project.token, path, 'application/x-ndjson'));
    run.progress(`${property}: ${JSON.stringify(samples.at(-1))}`);
  }
  const floors = await readRows(site.databaseUrl, project.projectId, to);
  const asked = figureOf(samples);
  const floorMs = median(floors);
  const figure = { events: Math.round((events * 7) / fullDays), ...asked, floorMs, ofFloor: round(asked.ms / floorMs) };
  const pass = figure.ms <= breakdownTarget.medianMs;
  return {
    name: 'breakdown',
    figure,
    target: breakdownTarget,
    pass,
    versions: await site.versions(),
    samples: [...samples, { floors }],
  };
}

/** A trend of 90 days by day from the cells of 50 million events of 50,000 users. */
export async function measureTrend(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const project = await openProject(site.databaseUrl);
  const nowMs = Date.now();
  await writeCells(site.databaseUrl, project.projectId, eventsPerHour, nowMs);
  run.progress('cells are written');
  const to = Math.floor(nowMs / hourMs) * hourMs;
  const path = `/v0/trends?event=paid&from=${new Date(to - 89 * dayMs).toISOString()}&to=${new Date(to).toISOString()}`;
  const samples: Asked[] = [];
  for (let index = 0; index < 50; index++) samples.push(await ask(site, project.token, path, 'application/json'));
  const measured = samples.slice(10);
  const figure = { ...figureOf(measured), leastMs: Math.min(...measured.map(({ ms }) => ms)) };
  const pass = figure.ms <= trendTarget.medianMs;
  return { name: 'trend-90', figure, target: trendTarget, pass, versions: await site.versions(), samples };
}

/** Milliseconds in which the database counts the same rows, each with its properties, which are not looked into. */
function readRows(databaseUrl: string, projectId: string, to: number): Promise<number[]> {
  return withSeries(databaseUrl, async sql => {
    const times: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const startedAt = performance.now();
      await sql.once`
        select count(props)
        from events
        where project_id = ${projectId}
          and type = 'track'
          and name = 'paid'
          and timestamp >= ${instant(to - 7 * dayMs)}
          and timestamp < ${instant(to)}`;
      times.push(round(performance.now() - startedAt, 1));
    }
    return times;
  });
}

async function ask(site: Site, token: string, path: string, accept: string): Promise<Asked> {
  const cpu = () => [cpuSecondsOf(site.postgres().pid), cpuSecondsOf(site.controlPlane().pid)] as const;
  const [before, startedAt] = [cpu(), performance.now()];
  const answer = await fetch(`${site.url}${path}`, { headers: { authorization: `Bearer ${token}`, accept } });
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status}: ${body.slice(0, 300)}`);
  const ms = performance.now() - startedAt;
  const after = cpu();
  const cpuSeconds = { postgres: round(after[0] - before[0]), controlPlane: round(after[1] - before[1]) };
  return { ms: round(ms, 1), cpuSeconds };
}

function figureOf(asked: readonly Asked[]) {
  const mean = (of: (one: Asked) => number) => round(asked.reduce((sum, one) => sum + of(one), 0) / asked.length);
  return {
    ms: median(asked.map(one => one.ms)),
    cpuSeconds: {
      postgres: mean(one => one.cpuSeconds.postgres),
      controlPlane: mean(one => one.cpuSeconds.controlPlane),
    },
  };
}
