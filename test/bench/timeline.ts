import { apiOf } from '../support/control-plane.ts';
import { openProject } from './load/event-senders.ts';
import { historyUsers, writeHistory } from './load/history.ts';
import { quantile, type Row, type RowRun, round } from './row.ts';
import { openSite } from './site.ts';

const target = { p99Ms: 20, growth: 2 };
const pages = 1000;
const full = 5_000_000;

/** P6: first and deeper pages of users' timelines, with half a million events and with five million. */
export async function measureTimeline(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const project = await openProject(site.databaseUrl);
  const api = apiOf(site.url, project.token);
  const nowMs = Date.now();
  const samples: Record<number, { p50Ms: number; p99Ms: number }> = {};
  let written = 0;
  for (const events of [full / 10, full]) {
    await writeHistory(site.databaseUrl, project.projectId, written, events, nowMs);
    written = events;
    run.progress(`${events} events are written`);
    await readPages(api, 200);
    const took = await readPages(api, pages);
    samples[events] = { p50Ms: round(quantile(took, 0.5)), p99Ms: round(quantile(took, 0.99)) };
  }
  const [small, large] = [samples[full / 10], samples[full]];
  const figure = { p99Ms: large?.p99Ms ?? Number.NaN, p50Ms: large?.p50Ms, p99MsOfATenth: small?.p99Ms ?? Number.NaN };
  const pass = figure.p99Ms <= target.p99Ms && figure.p99Ms <= Math.max(5, figure.p99MsOfATenth) * target.growth;
  return { name: 'P6-timeline', figure, target, pass, versions: await site.versions(), samples };
}

async function readPages(api: ReturnType<typeof apiOf>, count: number): Promise<number[]> {
  const took: number[] = [];
  let cursor = '';
  for (let page = 0, user = 0; page < count; page++) {
    if (cursor === '') user = Math.floor(Math.random() * historyUsers);
    const startedAt = performance.now();
    const { status, body } = await api('GET', `/v0/users/user-${user}/timeline?limit=20${cursor}`);
    took.push(performance.now() - startedAt);
    if (status !== 200) throw new Error(`the answer was ${status}`);
    cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
  }
  return took;
}
