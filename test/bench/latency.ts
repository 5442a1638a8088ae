import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireResult } from '#shared/check-result.ts';
import { newId } from '#shared/ids.ts';
import { wait } from '#shared/wait.ts';
import { type Gateway, makeAssignment, startGateway } from '../support/gateway.ts';
import { blackboxPort, blackboxVersion, startAgentProcess, startBlackbox } from './probers.ts';
import { type Program, startProgram } from './program.ts';
import { quantile, type Row, type RowRun, round } from './row.ts';

/** Reported latency minus the target's own time, in milliseconds; `delayed`: results that say so, left out. */
type Errors = { count: number; delayed?: number; p50: number; p99: number; max: number };
type Measured = { perSecond: number; busy: boolean; agent: Errors; blackbox: Errors | null };

const rates = [10, 100, 500, 1000];
const delaysMs = [0, 50, 200];
const needle = '"status":"ok"';
const cores = 2;
const target = { quiet100P99Ms: 3, quiet500P99Ms: 8 };

/**
 * P13: by how much a reported latency differs from the time that the target took by its own clock, from the accepted
 * connection to its answer, with nothing else to do and beside two processes that never rest.
 */
export async function measureLatency({ full, opened, progress }: RowRun): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-bench-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const children: ChildProcess[] = [];
  opened.defer(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  const served = opened.use(startProgram('test/bench/latency-target.ts', { logFile: join(folder, 'target.log') }));
  const { port } = await served.message<{ type: 'listening'; port: number }>('listening');
  const url = `http://127.0.0.1:${port}`;
  const blackbox = startBlackbox(folder, needle, children, null);
  const roundMs = full ? 30_000 : 8000;
  const load = loadavg()[0] ?? 0;
  const firstMs = await measureFirst(url, folder, progress);
  const gateway = opened.use(await startGateway());
  startAgentProcess(gateway.url, join(folder, 'agent'), children, null);
  await gateway.until(() => gateway.of('hello').length > 0);
  const samples: Measured[] = [];
  for (const busy of [false, true])
    for (const perSecond of rates) {
      using burning = burn(busy ? cores : 0);
      const agent = await measureAgent(gateway, url, perSecond, roundMs);
      const other = blackbox === null ? null : await measureBlackbox(served, url, perSecond, roundMs);
      samples.push({ perSecond, busy: burning.busy, agent, blackbox: other });
      progress(JSON.stringify(samples.at(-1)));
    }
  const quiet = (perSecond: number) => samples.find(sample => sample.perSecond === perSecond && !sample.busy);
  const figure = {
    quiet100P99Ms: quiet(100)?.agent.p99 ?? Number.NaN,
    quiet500P99Ms: quiet(500)?.agent.p99 ?? Number.NaN,
    blackbox100P99Ms: quiet(100)?.blackbox?.p99 ?? null,
    blackbox500P99Ms: quiet(500)?.blackbox?.p99 ?? null,
    firstMs,
    loadBefore: round(load, 1),
  };
  return {
    name: 'P13',
    figure,
    target,
    pass: figure.quiet100P99Ms <= target.quiet100P99Ms && figure.quiet500P99Ms <= target.quiet500P99Ms,
    versions: { node: process.version, blackbox: blackbox === null ? 'not installed' : blackboxVersion() },
    samples,
  };
}

/** The errors of the first check of three agents, each in a folder of its own; null if it says it was delayed. */
async function measureFirst(url: string, folder: string, progress: RowRun['progress']): Promise<(number | null)[]> {
  const errors: (number | null)[] = [];
  for (const name of ['first-a', 'first-b', 'first-c']) {
    const children: ChildProcess[] = [];
    await using gateway = await startGateway();
    gateway.assign([monitor(url, 0, 0)]);
    startAgentProcess(gateway.url, join(folder, name), children, null);
    await gateway.until(() => gateway.results.length > 0);
    const [first] = gateway.results;
    errors.push(first === undefined || (first.delayed_ms ?? null) !== null ? null : round(errorOf(first), 2));
    progress(`the first check: ${first?.latency_ms} ms, delayed by ${first?.delayed_ms ?? 0} ms`);
    for (const child of children) child.kill('SIGKILL');
  }
  return errors;
}

async function measureAgent(gateway: Gateway, url: string, perSecond: number, roundMs: number): Promise<Errors> {
  const monitors = Array.from({ length: perSecond }, (_, index) => monitor(url, index, (index * 1000) / perSecond));
  gateway.assign(monitors);
  await wait(2500);
  gateway.results.length = 0;
  await wait(roundMs);
  const results = gateway.results.splice(0);
  gateway.assign(
    [],
    monitors.map(({ monitor_id }) => monitor_id),
  );
  await wait(1000);
  const bad = results.find(({ status }) => status !== 'ok');
  if (bad !== undefined) throw new Error(`a check failed: ${JSON.stringify(bad)}`);
  const counted = results.filter(result => (result.delayed_ms ?? null) === null);
  return { ...errorsOf(counted.map(errorOf)), delayed: results.length - counted.length };
}

function monitor(url: string, index: number, offsetMs: number) {
  return makeAssignment({
    monitor_id: newId('mon'),
    url: `${url}/${delaysMs[index % delaysMs.length]}/agent`,
    timeout_ms: 10_000,
    offset_ms: Math.floor(offsetMs),
    assertions: [
      { type: 'status', operator: 'eq', value: 200 },
      { type: 'body_contains', operator: 'contains', value: needle, case_insensitive: false },
      // Its outcome tells what the target measured.
      { type: 'header', name: 'X-Own-Ms', operator: 'contains', value: '.' },
    ],
  });
}

function errorOf({ latency_ms, assertions }: WireResult): number {
  return (latency_ms ?? Number.NaN) - Number(assertions[2]?.actual);
}

async function measureBlackbox(served: Program, url: string, perSecond: number, roundMs: number): Promise<Errors> {
  const connections = new Agent({ keepAlive: true });
  const reported = new Map<string, number>();
  let [sent, due] = [0, performance.now()];
  const probe = () => {
    const id = `blackbox-${sent}`;
    const address = `${url}/${delaysMs[sent++ % delaysMs.length]}/${id}`;
    const path = `/probe?module=same&target=${encodeURIComponent(address)}`;
    get(`http://127.0.0.1:${blackboxPort}${path}`, { agent: connections }, answer => {
      let text = '';
      answer.on('data', (part: Buffer) => {
        text += part;
      });
      answer.on('end', () => {
        const seconds = /^probe_duration_seconds (\S+)/m.exec(text)?.[1];
        if (text.includes('probe_success 1')) reported.set(id, Number(seconds) * 1000);
      });
    }).on('error', () => undefined);
  };
  const timer = setInterval(() => {
    for (; due <= performance.now(); due += 1000 / perSecond) probe();
  }, 1);
  await wait(roundMs);
  clearInterval(timer);
  await wait(1000);
  connections.destroy();
  served.process.send('own');
  const own = new Map((await served.message<{ type: 'own'; own: [string, number][] }>('own')).own);
  return errorsOf([...reported].flatMap(([id, ms]) => (own.has(id) ? [ms - (own.get(id) ?? 0)] : [])));
}

function errorsOf(errors: readonly number[]): Errors {
  const [p50, p99, max] = [0.5, 0.99, 1].map(q => round(quantile(errors, q), 2));
  return { count: errors.length, p50: p50 ?? 0, p99: p99 ?? 0, max: max ?? 0 };
}

/** Processes that use a core each, as long as there are any, until they are disposed. */
function burn(processes: number): Disposable & { busy: boolean } {
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  return {
    busy: processes > 0,
    [Symbol.dispose]: () => {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
