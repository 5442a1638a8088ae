import { openProject } from './load/event-senders.ts';
import { historyUsers, writeHistory } from './load/history.ts';
import { median, quantile, type Row, type RowRun, round } from './row.ts';
import { openSite } from './site.ts';

const target = { p99Ms: 20, growth: 2 };
const pages = 1000;
/** What else the machine does in a second hits one of them: the median round counts. */
const rounds = 5;
const full = 5_000_000;

/** P6: pages of users' timelines, first and deeper, in sequence, of half a million and of five million events. */
export async function measureTimeline(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const project = await openProject(site.databaseUrl);
  const nowMs = Date.now();
  const samples: Record<number, { p50Ms: number[]; p99Ms: number[] }> = {};
  let written = 0;
  for (const events of [full / 10, full]) {
    await writeHistory(site.databaseUrl, project.projectId, written, events, nowMs);
    written = events;
    run.progress(`${events} events are written`);
    await readPages(site.url, project.token, 200);
    const [p50Ms, p99Ms]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < rounds; turn++) {
      const took = await readPages(site.url, project.token, pages);
      p50Ms.push(round(quantile(took, 0.5)));
      p99Ms.push(round(quantile(took, 0.99)));
    }
    samples[events] = { p50Ms, p99Ms };
  }
  const [small, large] = [samples[full / 10], samples[full]];
  const figure = {
    p99Ms: median(large?.p99Ms ?? []),
    p50Ms: median(large?.p50Ms ?? []),
    p99MsOfATenth: median(small?.p99Ms ?? []),
  };
  const pass = figure.p99Ms <= target.p99Ms && figure.p99Ms <= Math.max(5, figure.p99MsOfATenth) * target.growth;
  return { name: 'P6-timeline', figure, target, pass, versions: await site.versions(), samples };
}

async function readPages(url: string, token: string, count: number): Promise<number[]> {
  const took: number[] = [];
  let cursor = '';
  for (let page = 0, user = 0; page < count; page++) {
    if (cursor === '') user = Math.floor(Math.random() * historyUsers);
    const startedAt = performance.now();
    const answer = await fetch(`${url}/v0/users/user-${user}/timeline?limit=20${cursor}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { pagination } = (await answer.json()) as { pagination: { has_more: boolean; next_cursor: string } };
    took.push(performance.now() - startedAt);
    if (answer.status !== 200) throw new Error(`the answer was ${answer.status}`);
    cursor = pagination.has_more ? `&cursor=${pagination.next_cursor}` : '';
  }
  return took;
}
