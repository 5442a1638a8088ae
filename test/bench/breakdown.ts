import { dayMs, hourMs } from '#shared/duration.ts';
import { cpuSecondsOf } from './cpu.ts';
import { writeCells } from './load/cell-history.ts';
import { openProject } from './load/event-senders.ts';
import { writeProperties } from './load/property-history.ts';
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
  const figure = { events: Math.round((events * 7) / fullDays), ...figureOf(samples) };
  const pass = figure.ms <= breakdownTarget.medianMs;
  return { name: 'breakdown', figure, target: breakdownTarget, pass, versions: await site.versions(), samples };
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
