import got from 'got';
import PQueue from 'p-queue';
import { wait } from '#shared/wait.ts';
import { apiOf } from '../support/control-plane.ts';
import { openRaw, writeRequest } from '../support/raw-connection.ts';
import { cpuSecondsOf } from './cpu.ts';
import { openProject } from './load/event-senders.ts';
import { quantile, type RowRun, round } from './row.ts';
import { openSite, type Site } from './site.ts';

/** A front takes 600 signals a minute of a project. */
const projects = 25;
/** Of each project: with --full every heartbeat has one signal a minute, else twenty. */
const heartbeatsOf = { small: 20, full: 400 };
const signalsPerMinute = 10_000;
const measuredSeconds = { small: 20, full: 60 };
const warmUpSeconds = 5;
const target = { frontCores: 0.5, lost: 0 };

/**
 * P14 of heartbeats: CPU of one control plane and its database while 10,000 signals a minute come, each over a
 * connection of its own as `curl` of a job makes it.
 */
export async function measureHeartbeats(run: RowRun) {
  const size = run.full ? 'full' : 'small';
  const site = await openSite(run);
  const paths = await createHeartbeats(site, heartbeatsOf[size]);
  run.progress(`${paths.length} heartbeats`);
  const port = Number(new URL(site.url).port);
  await send(port, paths, warmUpSeconds);
  const [storedBefore, front, database] = [await countStored(site), frontCpu(site), databaseCpu(site)];
  const startedAt = performance.now();
  const latencies = await send(port, paths, measuredSeconds[size]);
  const seconds = (performance.now() - startedAt) / 1000;
  const [frontCores, databaseCores] = [(frontCpu(site) - front) / seconds, (databaseCpu(site) - database) / seconds];
  const figure = {
    signalsPerMinute: Math.round((latencies.length / seconds) * 60),
    frontCores: round(frontCores),
    databaseCores: round(databaseCores),
    p99Ms: round(quantile(latencies, 0.99), 1),
    lost: latencies.length - ((await countStored(site)) - storedBefore),
  };
  run.progress(`heartbeat ${JSON.stringify(figure)}`);
  return { figure, target, isMet: figure.frontCores <= target.frontCores && figure.lost === 0 };
}

/** Their addresses, those of the projects in turns. */
async function createHeartbeats({ databaseUrl, url }: Site, each: number): Promise<string[]> {
  const queue = new PQueue({ concurrency: 8 });
  const tokens = await Promise.all(Array.from({ length: projects }, () => openProject(databaseUrl)));
  const create = async (token: string, index: number): Promise<string> => {
    const heartbeat = { kind: 'heartbeat', name: `Job ${index}`, interval_seconds: 60 };
    const answer = await apiOf(url, token)('POST', '/v0/monitors', heartbeat);
    if (answer.status !== 201) throw new Error(`the heartbeat was not created: ${JSON.stringify(answer.body)}`);
    return new URL(String(answer.body.url)).pathname;
  };
  const all = Array.from({ length: each }, (_, index) => tokens.map(({ token }) => ({ token, index }))).flat();
  return Promise.all(all.map(({ token, index }) => queue.add(() => create(token, index))));
}

/** Sends at an even rate, however long answers take. Returns how long each took. */
async function send(port: number, paths: readonly string[], seconds: number): Promise<number[]> {
  const everyMs = 60_000 / signalsPerMinute;
  const startMs = performance.now();
  const sent: Promise<number>[] = [];
  for (let index = 0; index < (signalsPerMinute / 60) * seconds; index++) {
    const pauseMs = startMs + index * everyMs - performance.now();
    if (pauseMs > 0) await wait(pauseMs);
    sent.push(sendOne(port, paths[index % paths.length] ?? ''));
  }
  return Promise.all(sent);
}

async function sendOne(port: number, path: string): Promise<number> {
  const startMs = performance.now();
  await using connection = await openRaw(port);
  const answer = await connection.exchange(writeRequest('GET', path));
  if (answer?.status !== 200) throw new Error(`a signal got ${answer?.status}: ${answer?.body}`);
  return performance.now() - startMs;
}

function frontCpu(site: Site): number {
  return cpuSecondsOf(site.controlPlane().pid);
}

function databaseCpu(site: Site): number {
  return cpuSecondsOf(site.postgres().pid);
}

async function countStored({ url }: Site): Promise<number> {
  const text = await got(`${url}/metrics`, { headers: { host: 'localhost' } }).text();
  return Number(/^upquorum_results_total\{outcome="stored"\} (\d+)/m.exec(text)?.[1] ?? 0);
}
