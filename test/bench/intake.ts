import got from 'got';
import { wait } from '#shared/wait.ts';
import { natsEnv } from '../chaos/broker-faults.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { cpuSecondsOf } from './cpu.ts';
import { makeEvent, openProject, postRequest, startSenders } from './load/event-senders.ts';
import { type Load, openLoad } from './load/load.ts';
import { load } from './results.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite, type Site } from './site.ts';

/** `accepted` items in `seconds`, and the CPU of all processes until they were stored. */
type Sample = { perSecond: number; cpuSecondsPer10k: number; brokerCpuPer10k: number; storedAfterMs: number };
type Side = { site: Site; agents: Load; token: string; nats: TestNats | null };
type What = 'results' | 'events';

const rounds = { small: 3, full: 5 };
const roundMs = 5000;
const connections = 12;
const eventsPerRequest = 20;
const storedWithinMs = 120_000;
const lookMs = 250;

/** P12: CPU per 10,000 results and events, from the socket until they are stored, with and without a broker. */
export async function measureIntake(run: RowRun): Promise<Row> {
  // Room for what is stored but not yet forgotten, which may be ten seconds of it.
  const nats = run.opened.use(await startNats({ streamBytes: 512 * 1024 ** 2 }));
  const sides = { postgres: await openSide(run, null), nats: await openSide(run, nats) };
  const samples: Record<keyof typeof sides, Record<What, Sample[]>> = {
    postgres: { results: [], events: [] },
    nats: { results: [], events: [] },
  };
  for (const side of Object.values(sides)) for (const what of ['results', 'events'] as const) await measure(side, what);
  for (let index = 0; index < (run.full ? rounds.full : rounds.small); index++)
    for (const what of ['results', 'events'] as const)
      for (const name of ['postgres', 'nats'] as const) {
        const sample = await measure(sides[name], what);
        samples[name][what].push(sample);
        run.progress(`${what} by ${name}: ${Math.round(sample.perSecond)}/s, ${round(sample.cpuSecondsPer10k)} s`);
      }
  const figure = Object.fromEntries(
    Object.entries(samples).map(([name, { results, events }]) => [
      name,
      { results: summary(results), events: summary(events) },
    ]),
  );
  return { name: 'P12', figure, target: {}, pass: true, versions: await sides.postgres.site.versions(), samples };
}

function summary(samples: readonly Sample[]) {
  const of = (pick: (sample: Sample) => number, digits = 3) => round(median(samples.map(pick)), digits);
  return {
    acceptedPerSecond: of(sample => sample.perSecond, 0),
    cpuSecondsPer10k: of(sample => sample.cpuSecondsPer10k),
    brokerCpuPer10k: of(sample => sample.brokerCpuPer10k),
    storedAfterMs: of(sample => sample.storedAfterMs, 0),
  };
}

async function openSide(run: RowRun, nats: TestNats | null): Promise<Side> {
  const site = await openSite(run, nats === null ? {} : natsEnv(nats));
  const agents = await openLoad(site, run, load);
  return { site, agents, nats, token: (await openProject(site.databaseUrl)).token };
}

async function measure(side: Side, what: What): Promise<Sample> {
  const { site, nats } = side;
  const brokerCpu = () => (nats?.pids() ?? []).reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  const cpu = () => cpuSecondsOf(site.postgres().pid) + cpuSecondsOf(site.controlPlane().pid) + brokerCpu();
  const before = await countStored(site, what);
  const [startedAt, cpuBefore, brokerBefore] = [performance.now(), cpu(), brokerCpu()];
  const accepted = await (what === 'results' ? reportResults(side) : sendEvents(side));
  const acceptedAt = performance.now();
  const giveUpAt = acceptedAt + storedWithinMs;
  while ((await countStored(site, what)) < before + accepted) {
    if (performance.now() > giveUpAt) throw new Error(`${what} that were accepted were not stored in two minutes`);
    await wait(lookMs);
  }
  const per10k = (used: number) => (used / accepted) * 10_000;
  return {
    perSecond: (accepted / (acceptedAt - startedAt)) * 1000,
    cpuSecondsPer10k: per10k(cpu() - cpuBefore),
    brokerCpuPer10k: per10k(brokerCpu() - brokerBefore),
    storedAfterMs: performance.now() - acceptedAt,
  };
}

async function reportResults({ agents }: Side): Promise<number> {
  const { acknowledged: before } = await agents.drain();
  agents.go();
  await wait(roundMs);
  return (await agents.drain()).acknowledged - before;
}

async function sendEvents({ site, token }: Side): Promise<number> {
  const request = postRequest(
    token,
    Array.from({ length: eventsPerRequest }, (_, index) => makeEvent(index)),
  );
  let accepted = 0;
  const senders = startSenders(
    Number(new URL(site.url).port),
    connections,
    () => request,
    status => {
      if (status === 202) accepted += eventsPerRequest;
    },
  );
  await wait(roundMs);
  await senders.stop();
  return accepted;
}

/** By the counters of the process: counting rows again and again would cost the database more than storing them. */
async function countStored({ url }: Site, what: What): Promise<number> {
  const text = await got(`${url}/metrics`, { headers: { host: 'localhost' } }).text();
  const line = new RegExp(`^upquorum_${what}_total\\{outcome="stored"\\} (\\d+)`, 'm').exec(text);
  return Number(line?.[1] ?? 0);
}
