import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '#shared/ids.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { wait } from '#shared/wait.ts';
import { makeCertificate } from '../support/certificate.ts';
import { type Gateway, makeAssignment, startGateway } from '../support/gateway.ts';
import { blackboxPort, blackboxVersion, startAgentProcess, startBlackbox } from './probers.ts';

/** CPU of one check in milliseconds, one figure per round. Rounds of the two programs alternate. */
type CpuSamples = { agent: number[]; blackbox: number[] };

/** The row P1, printed as one line of JSON. */
export type ProbeFigures = {
  name: 'P1';
  figure: {
    httpsRatio: number | null;
    httpRatio: number | null;
    rssMb: number;
    rssAt1000Mb: number;
    bytesPerMonitor: number;
  };
  target: { httpsRatio: number; rssAt1000Mb: number; bytesPerMonitor: number };
  samples: { https: CpuSamples; http: CpuSamples };
  versions: Record<string, string>;
};

type Targets = { https: string; http: string };
type Scheme = keyof Targets;

const checksPerSecond = 200;
const needle = '"status":"ok"';

/** Measures CPU and memory per check of one agent process fed by a gateway, against prometheus-blackbox-exporter. */
export async function benchProbe(rounds: number, roundMs: number): Promise<ProbeFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-bench-'));
  const certificate = makeCertificate();
  writeFileSync(join(folder, 'ca.pem'), certificate.authority);
  writeFileSync(join(folder, 'certificate.json'), JSON.stringify(certificate));
  const children: ChildProcess[] = [];
  try {
    const targets = await startTargets(folder, children);
    const blackbox = startBlackbox(folder, needle, children);
    await using gateway = await startGateway();
    const agent = startAgentProcess(gateway.url, folder, children);
    await gateway.until(() => gateway.of('hello').length > 0);
    const https = await measure('https', targets, gateway, agent, blackbox, rounds, roundMs);
    const http = await measure('http', targets, gateway, agent, blackbox, rounds, roundMs);
    const rssMb = rssOf(agent.pid) / 1e6;
    const memory = await measureMemory(folder, targets.https);
    return {
      name: 'P1',
      figure: { httpsRatio: ratioOf(https), httpRatio: ratioOf(http), rssMb: round(rssMb), ...memory },
      target: { httpsRatio: 0.85, rssAt1000Mb: 120, bytesPerMonitor: 1024 },
      samples: { https, http },
      versions: { node: process.version, blackbox: blackbox === null ? 'not installed' : blackboxVersion() },
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  scheme: Scheme,
  targets: Targets,
  gateway: Gateway,
  agent: ChildProcess,
  blackbox: ChildProcess | null,
  rounds: number,
  roundMs: number,
): Promise<CpuSamples> {
  const samples: CpuSamples = { agent: [], blackbox: [] };
  for (let i = 0; i < rounds; i++) {
    samples.agent.push(await measureAgent(gateway, agent, targets[scheme], roundMs));
    if (blackbox !== null) samples.blackbox.push(await measureBlackbox(blackbox, targets[scheme], roundMs));
  }
  return samples;
}

async function measureAgent(gateway: Gateway, agent: ChildProcess, url: string, roundMs: number): Promise<number> {
  const monitors = Array.from({ length: checksPerSecond }, (_, index) => monitor(url, index, 1000));
  gateway.assign(monitors);
  await wait(2000);
  const [cpu, count] = [cpuMsOf(agent.pid), gateway.results.length];
  await wait(roundMs);
  const perCheck = (cpuMsOf(agent.pid) - cpu) / (gateway.results.length - count);
  const bad = gateway.results.find(result => result.status !== 'ok');
  if (bad !== undefined) throw new Error(`a check failed: ${JSON.stringify(bad)}`);
  gateway.assign(
    [],
    monitors.map(assignment => assignment.monitor_id),
  );
  await wait(1000);
  gateway.results.length = 0;
  return round(perCheck);
}

async function measureBlackbox(blackbox: ChildProcess, url: string, roundMs: number): Promise<number> {
  const connections = new Agent({ keepAlive: true });
  const address = `http://127.0.0.1:${blackboxPort}/probe?module=same&target=${encodeURIComponent(url)}`;
  let count = 0;
  const timer = setInterval(() => {
    for (let i = 0; i < checksPerSecond / 50; i++)
      get(address, { agent: connections }, answer => {
        answer.on('data', (text: Buffer) => {
          if (text.includes('probe_success 1')) count++;
        });
      }).on('error', () => undefined);
  }, 20);
  await wait(2000);
  const [cpu, before] = [cpuMsOf(blackbox.pid), count];
  await wait(roundMs);
  const perCheck = (cpuMsOf(blackbox.pid) - cpu) / (count - before);
  clearInterval(timer);
  await wait(500);
  connections.destroy();
  return round(perCheck);
}

/** Resident memory of a new agent that runs 1,000 monitors, and the heap that each further monitor takes. */
async function measureMemory(folder: string, url: string): Promise<{ rssAt1000Mb: number; bytesPerMonitor: number }> {
  const children: ChildProcess[] = [];
  await using gateway = await startGateway();
  try {
    const agent = startAgentProcess(gateway.url, join(folder, 'memory'), children, folder);
    await gateway.until(() => gateway.of('hello').length > 0);
    gateway.assign(Array.from({ length: 1000 }, (_, index) => monitor(url, index * 2, 10_000)));
    await wait(25_000);
    const script = ['--expose-gc', join(import.meta.dirname, 'monitor-memory.ts')];
    const bytesPerMonitor = Number(execFileSync(process.execPath, script, { encoding: 'utf8' }));
    return { rssAt1000Mb: round(rssOf(agent.pid) / 1e6), bytesPerMonitor };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

function monitor(url: string, index: number, intervalMs: number): Assignment {
  return makeAssignment({
    monitor_id: newId('mon'),
    url,
    interval_ms: intervalMs,
    timeout_ms: 10_000,
    offset_ms: (index * 5) % intervalMs,
    assertions: [
      { type: 'status', operator: 'eq', value: 200 },
      { type: 'body_contains', operator: 'contains', value: needle, case_insensitive: false },
    ],
  });
}

async function startTargets(folder: string, children: ChildProcess[]): Promise<Targets> {
  const file = join(folder, 'certificate.json');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'probe-target.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const ports = await new Promise<{ https: number; http: number }>(resolve =>
    child.stdout?.once('data', (text: Buffer) => resolve(JSON.parse(text.toString()))),
  );
  return { https: `https://localhost:${ports.https}/`, http: `http://localhost:${ports.http}/` };
}

/** User and system time of a process; the kernel counts in ticks of 10 ms. */
function cpuMsOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function rssOf(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

function ratioOf({ agent, blackbox }: CpuSamples): number | null {
  return blackbox.length === 0 ? null : round(median(agent) / median(blackbox));
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(await benchProbe(3, 8000))}\n`);
