import { wait } from '#shared/wait.ts';
import { withSql } from '../support/control-plane.ts';
import { type FloorSample, measureCopy } from './copy-floor.ts';
import { cpuSecondsOf } from './cpu.ts';
import { makeEvent, openProject, postRequest, startSenders } from './load/event-senders.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite, type Site } from './site.ts';

const target = { batchesOf1000: 30_000, ratioToFloor: 0.25, single: 4000 };
const sizes = { 1: 256, 100: 16, 1000: 6 } as const;
const roundMs = 6000;
const warmUpMs = 3000;
const floorRowsMax = 150_000;

type Sample = { eventsPerSecond: number; cpuSecondsPer10k: number };

/** P3: events per second from request to 202, in batches of 1, 100 and 1000, in turn with the same rows by COPY. */
export async function measureEvents(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const project = await openProject(site.databaseUrl);
  const samples: Record<string, Sample[]> = { 1: [], 100: [], 1000: [] };
  const floors: FloorSample[] = [];
  let accepted = 0;
  const measure = async (size: keyof typeof sizes, forMs: number): Promise<Sample> => {
    const sample = await measureRound(site, project.token, size, forMs);
    accepted += sample.accepted;
    return sample;
  };
  await measure(1000, warmUpMs);
  for (let pair = 0; pair < (run.full ? 5 : 3); pair++) {
    for (const size of [1, 100, 1000] as const) samples[size]?.push(await measure(size, roundMs));
    const table = { name: 'events', newestBy: 'ingested_at' };
    floors.push(await measureCopy(site.databaseUrl, site.postgres().pid, floorRowsMax, table));
    run.progress(JSON.stringify([1, 100, 1000].map(size => Math.round(samples[size]?.at(-1)?.eventsPerSecond ?? 0))));
  }
  const stored = await withSql(
    site.databaseUrl,
    sql => sql.row<{ count: number }>`select count(*) as count from events`,
  );
  const rates = [1, 100, 1000].map(size =>
    Math.round(median((samples[size] ?? []).map(sample => sample.eventsPerSecond))),
  );
  const floor = median(floors.map(sample => sample.rowsPerSecond));
  const ratios = (samples[1000] ?? []).map(
    (sample, index) => sample.eventsPerSecond / (floors[index]?.rowsPerSecond ?? Number.NaN),
  );
  const figure = {
    single: rates[0],
    batchesOf100: rates[1],
    batchesOf1000: rates[2],
    floorRowsPerSecond: Math.round(floor),
    ratioToFloor: round(median(ratios)),
    cpuSecondsPer10k: Object.fromEntries(
      Object.entries(samples).map(([size, list]) => [size, round(median(list.map(sample => sample.cpuSecondsPer10k)))]),
    ),
    floorCpuSecondsPer10k: round(median(floors.map(sample => sample.cpuSecondsPer10k))),
    accepted,
    lost: Math.max(0, accepted - (stored?.count ?? 0)),
  };
  const fast = (figure.batchesOf1000 ?? 0) >= target.batchesOf1000 && (figure.single ?? 0) >= target.single;
  const pass = fast && figure.ratioToFloor >= target.ratioToFloor && figure.lost === 0;
  return { name: 'P3', figure, target, pass, versions: await site.versions(), samples: { ...samples, floors } };
}

async function measureRound(
  site: Site,
  token: string,
  size: keyof typeof sizes,
  forMs: number,
): Promise<Sample & { accepted: number }> {
  const events = Array.from({ length: size }, (_, index) => makeEvent(index));
  const request = postRequest(token, size === 1 ? events[0] : events);
  const cpu = () => cpuSecondsOf(site.postgres().pid) + cpuSecondsOf(site.controlPlane().pid);
  let accepted = 0;
  const [startedAt, cpuBefore] = [performance.now(), cpu()];
  const senders = startSenders(
    Number(new URL(site.url).port),
    sizes[size],
    () => request,
    (status, body) => {
      if (status !== 202) throw new Error(`the answer was ${status}: ${body.slice(0, 300)}`);
      accepted += size;
    },
  );
  await wait(forMs);
  await senders.stop();
  const seconds = (performance.now() - startedAt) / 1000;
  return { accepted, eventsPerSecond: accepted / seconds, cpuSecondsPer10k: ((cpu() - cpuBefore) / accepted) * 10_000 };
}
