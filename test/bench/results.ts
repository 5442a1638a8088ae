import { wait } from '#shared/wait.ts';
import { type FloorSample, measureCopy, measureCopyOf } from './copy-floor.ts';
import { cpuSecondsOf } from './cpu.ts';
import { audit, isWhole } from './load/audit.ts';
import { type Load, openLoad } from './load/load.ts';
import { readReported, reportedColumns } from './reported-rows.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite, type Site } from './site.ts';

export type ResultsSample = {
  resultsPerSecond: number;
  cpuSecondsPer10k: number;
  controlPlaneCpuPer10k: number;
  databaseCpuPer10k: number;
};

/** Six agents with 2,000 monitors, as fast as they are acknowledged. */
export const load = {
  monitors: 2000,
  agentsPerRegion: 2,
  resultsPerMessage: 250,
  resultsPerSecond: null,
  outage: false,
};
const pairs = { small: 3, full: 5 };
const warmUpMs = 6000;
const roundMs = 8000;
const floorRowsMax = 150_000;
const target = { ratioToFloor: 0.3, cpuSecondsPer10k: 0.7, databaseCpuPer10k: 0.35 };

/**
 * P2: results per second from the socket to the acknowledgement, in turn with the same results by COPY: as agents
 * report them, each with all of its detail in its row, and as our rows, which are a third as long.
 */
export async function measureResults(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const agents = await openLoad(site, run, load);
  agents.go();
  await wait(warmUpMs);
  await agents.drain();
  const samples: { results: ResultsSample[]; copy: FloorSample[]; copyOfOurRows: FloorSample[] } = {
    results: [],
    copy: [],
    copyOfOurRows: [],
  };
  const reported = await readReported(site.databaseUrl, agents.monitorIds, floorRowsMax);
  for (let pair = 0; pair < (run.full ? pairs.full : pairs.small); pair++) {
    const results = await measureRound(site, agents);
    samples.results.push(results);
    const copy = await measureCopyOf(site.databaseUrl, site.postgres().pid, reportedColumns, reported);
    samples.copy.push(copy);
    const ours = await measureCopy(site.databaseUrl, site.postgres().pid, floorRowsMax);
    samples.copyOfOurRows.push(ours);
    const rates = [results.resultsPerSecond, copy.rowsPerSecond, ours.rowsPerSecond].map(Math.round);
    run.progress(`${rates[0]} results/s, floor ${rates[1]} rows/s, of our rows ${rates[2]}/s`);
  }
  const audited = await audit(site.databaseUrl, await agents.ledger());
  const figure = {
    resultsPerSecond: Math.round(median(samples.results.map(sample => sample.resultsPerSecond))),
    floorRowsPerSecond: Math.round(median(samples.copy.map(sample => sample.rowsPerSecond))),
    ratioToFloor: round(
      ratioOf(
        samples.results,
        samples.copy,
        sample => sample.resultsPerSecond,
        sample => sample.rowsPerSecond,
      ),
    ),
    ratioToOurRows: round(
      ratioOf(
        samples.results,
        samples.copyOfOurRows,
        sample => sample.resultsPerSecond,
        sample => sample.rowsPerSecond,
      ),
    ),
    cpuSecondsPer10k: round(median(samples.results.map(sample => sample.cpuSecondsPer10k))),
    controlPlaneCpuPer10k: round(median(samples.results.map(sample => sample.controlPlaneCpuPer10k))),
    databaseCpuPer10k: round(median(samples.results.map(sample => sample.databaseCpuPer10k))),
    floorCpuSecondsPer10k: round(median(samples.copy.map(sample => sample.cpuSecondsPer10k))),
    ...audited,
  };
  const fast =
    figure.ratioToFloor >= target.ratioToFloor &&
    figure.cpuSecondsPer10k <= target.cpuSecondsPer10k &&
    figure.databaseCpuPer10k <= target.databaseCpuPer10k;
  return { name: 'P2', figure, target, pass: fast && isWhole(audited), versions: await site.versions(), samples };
}

export async function measureRound(site: Site, agents: Load): Promise<ResultsSample> {
  const cpu = () => ({
    database: cpuSecondsOf(site.postgres().pid),
    controlPlane: cpuSecondsOf(site.controlPlane().pid),
  });
  const { acknowledged: before } = await agents.drain();
  const [startedAt, cpuBefore] = [performance.now(), cpu()];
  agents.go();
  await wait(roundMs);
  const { acknowledged } = await agents.drain();
  const [seconds, cpuAfter, count] = [(performance.now() - startedAt) / 1000, cpu(), acknowledged - before];
  const per10k = (used: number) => (used / count) * 10_000;
  const controlPlane = cpuAfter.controlPlane - cpuBefore.controlPlane;
  const database = cpuAfter.database - cpuBefore.database;
  return {
    resultsPerSecond: count / seconds,
    cpuSecondsPer10k: per10k(controlPlane + database),
    controlPlaneCpuPer10k: per10k(controlPlane),
    databaseCpuPer10k: per10k(database),
  };
}

/** The median of the pairs' ratios: the two runs of a pair had about the same load on the machine. */
function ratioOf<Subject, Reference>(
  subjects: readonly Subject[],
  references: readonly Reference[],
  subjectRate: (sample: Subject) => number,
  referenceRate: (sample: Reference) => number,
): number {
  return median(
    subjects.flatMap((subject, index) => {
      const reference = references[index];
      return reference === undefined ? [] : [subjectRate(subject) / referenceRate(reference)];
    }),
  );
}
