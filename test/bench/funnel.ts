import { standardError } from '#control-plane/analytics/user-sets/sketch.ts';
import { hourMs } from '#shared/duration.ts';
import { apiOf, until } from '../support/control-plane.ts';
import { openProject } from './load/event-senders.ts';
import { writeHistory } from './load/history.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite } from './site.ts';

const sizes = { small: 1_000_000, full: 5_000_000 };
const target = { off: '0, or 3 standard errors where estimated', hourlyMs: 2000 };
const errorsMax = 3 * standardError;

/** A funnel of 27 days over one or five million events, counted raw and read from the roll-up. The two must agree. */
export async function measureFunnel(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const project = await openProject(site.databaseUrl);
  const api = apiOf(site.url, project.token);
  const nowMs = Date.now();
  const events = run.full ? sizes.full : sizes.small;
  await writeHistory(site.databaseUrl, project.projectId, 0, events, nowMs);
  run.progress('events are written');
  const startedAt = performance.now();
  const steps = ['view', 'cart', 'pay'].map(event => ({ event }));
  const { body: flow } = await api('POST', '/v0/flows', { name: 'f', steps, window_seconds: 86_400 });
  const to = Math.floor(nowMs / hourMs) * hourMs;
  const range = `from=${new Date(to - 27 * 24 * hourMs).toISOString()}&to=${new Date(to).toISOString()}`;
  const read = async (source: string, grouping = '') => {
    const before = performance.now();
    const answer = await fetch(`${site.url}/v0/flows/${flow.id}/report?${range}&source=${source}${grouping}`, {
      headers: { authorization: `Bearer ${project.token}` },
    });
    const body = (await answer.json()) as { steps: { users: number }[]; source: string; estimated: boolean };
    if (answer.status !== 200) throw new Error(`${source}: ${answer.status} ${JSON.stringify(body)}`);
    return {
      ms: performance.now() - before,
      users: body.steps.map(step => step.users),
      source: body.source,
      estimated: body.estimated,
    };
  };
  await until(
    () => read('auto').catch(() => ({ source: 'raw' })),
    report => report.source === 'hourly',
    600_000,
  );
  const fillSeconds = (performance.now() - startedAt) / 1000;
  run.progress(`filled after ${fillSeconds.toFixed(0)} s`);
  const samples = { raw: [] as number[], hourly: [] as number[], byDay: [] as number[] };
  let [users, hourlyUsers, estimated]: [number[], number[], boolean] = [[], [], false];
  for (let pair = 0; pair < 3; pair++) {
    const [raw, hourly, byDay] = [await read('raw'), await read('auto'), await read('auto', '&group_by=day')];
    samples.raw.push(round(raw.ms));
    samples.hourly.push(round(hourly.ms));
    samples.byDay.push(round(byDay.ms));
    [users, hourlyUsers, estimated] = [raw.users, hourly.users, hourly.estimated];
    run.progress(`raw ${Math.round(raw.ms)} ms, hourly ${Math.round(hourly.ms)} ms`);
  }
  const off = Math.max(
    ...users.map((count, index) => Math.abs((hourlyUsers[index] ?? 0) - count) / Math.max(1, count)),
  );
  const figure = {
    events,
    rawMs: median(samples.raw),
    hourlyMs: median(samples.hourly),
    byDayMs: median(samples.byDay),
    fillSeconds: round(fillSeconds),
    users,
    hourlyUsers,
    estimated,
    off: round(off, 5),
  };
  const pass = off <= (estimated ? errorsMax : 0) && figure.hourlyMs <= target.hourlyMs;
  return { name: 'funnel', figure, target, pass, versions: await site.versions(), samples };
}
