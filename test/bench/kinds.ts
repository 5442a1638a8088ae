import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PingLimit } from '#agent/probe/kinds/ping/ping-limit.ts';
import { tryPing } from '#agent/probe/kinds/ping/trial.ts';
import type { Check } from '#shared/checks/check.ts';
import { Routed } from '../support/dns-check.ts';
import { probeKindOnce, probeTools, stepOf } from '../support/probe.ts';
import { cpuSecondsOf } from './cpu.ts';
import { blackboxPort, blackboxVersion, startBlackboxWith } from './probers.ts';
import { startProgram } from './program.ts';
import { median, type Row, type RowRun, round } from './row.ts';

type Kind = { check: Check; target: string; checks: number };
type Sample = { ours: number; blackbox: number | null };

const atOnce = 16;
const rounds = 3;
const target = { tcp: 1, dns: 1, grpc: 1 };
/** It has no module for WebSocket and none for steps. */
const ofBlackbox = ['tcp', 'dns', 'ping', 'grpc'];
const modules = {
  tcp: { prober: 'tcp', timeout: '5s' },
  dns: { prober: 'dns', timeout: '5s', dns: { query_name: 'www.example', query_type: 'A' } },
  grpc: { prober: 'grpc', timeout: '5s', grpc: { tls: false, preferred_ip_protocol: 'ip4' } },
  ping: { prober: 'icmp', timeout: '5s', icmp: { preferred_ip_protocol: 'ip4' } },
};

/**
 * P14: CPU of a check of each kind beside HTTP, on a fresh connection each, in milliseconds: that of the agent's code,
 * and of prometheus-blackbox-exporter in the same run, in turns. A ping is a program of the host: without its own CPU.
 */
export async function measureKinds({ full, opened, progress }: RowRun): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-bench-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const children: ChildProcess[] = [];
  opened.defer(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  const served = opened.use(startProgram('test/bench/kinds-target.ts', { logFile: join(folder, 'target.log') }));
  const ports = await served.message<{ type: 'listening' } & Ports>('listening');
  const blackbox = startBlackboxWith(folder, modules, children);
  const samples: Record<string, Sample[]> = {};
  const canPing = 'interval' in (await tryPing(ping.path));
  for (const [name, kind] of Object.entries(kindsAt(ports, full))) {
    if (name === 'ping' && !canPing) continue;
    await measure(kind, name, null);
    const taken: Sample[] = [];
    const other = ofBlackbox.includes(name) ? blackbox : null;
    for (let turn = 0; turn < rounds; turn++) taken.push(await measure(kind, name, other));
    samples[name] = taken;
    progress(`${name} ${JSON.stringify(taken)}`);
  }
  const figure = Object.fromEntries(Object.entries(samples).map(([name, taken]) => [name, figureOf(taken)]));
  const isMet = Object.entries(target).every(([name, max]) => (figure[name]?.ratio ?? 0) <= max);
  const versions = { node: process.version, blackbox: blackboxVersion() };
  return { name: 'P14', figure, target, pass: isMet, versions, samples };
}

type Ports = { tcp: number; dns: number; grpc: number; websocket: number; shop: number };

function kindsAt(ports: Ports, full: boolean): Record<string, Kind> {
  const host = '127.0.0.1';
  const query = { name: 'www.example', type: 'A', transport: 'udp' as const, recursion: true, agree_with: [] };
  const server = { host, port: ports.dns };
  const tcp = { host, port: ports.tcp, send: null, read: false };
  const websocket = { host, secure: false, port: ports.websocket, path: '/', subprotocols: [], send: 'hi', read: true };
  const shop = `http://${host}:${ports.shop}/orders`;
  const order = { name: 'order', from: 'json_path', path: '$.order' } as const;
  const steps = [
    stepOf({ name: 'make', url: shop, method: 'POST', body: '{}', extract: [order] }),
    stepOf({ name: 'read', url: `${shop}/{{order}}` }),
  ];
  const checks = full ? 6000 : 2000;
  return {
    tcp: { check: { kind: 'tcp', ...tcp }, target: `${host}:${ports.tcp}`, checks },
    dns: { check: { kind: 'dns', server, ...query }, target: `${host}:${ports.dns}`, checks },
    grpc: {
      check: { kind: 'grpc', host, secure: false, port: ports.grpc, service: '' },
      target: `${host}:${ports.grpc}`,
      checks,
    },
    websocket: { check: { kind: 'websocket', ...websocket }, target: `${host}:${ports.websocket}`, checks },
    multistep: { check: { kind: 'multistep', steps }, target: shop, checks: checks / 2 },
    ping: { check: { kind: 'ping', host, count: 1 }, target: host, checks: checks / 10 },
  };
}

function figureOf(taken: readonly Sample[]) {
  const cpuMs = round(median(taken.map(({ ours }) => ours)));
  const others = taken.flatMap(({ blackbox }) => blackbox ?? []);
  const blackboxMs = others.length === 0 ? null : round(median(others));
  return { cpuMs, blackboxMs, ratio: blackboxMs === null ? null : round(cpuMs / blackboxMs, 2) };
}

const ping = { path: process.env.PATH ?? '', interval: '0.2' as const, limit: new PingLimit(atOnce, () => 1) };
const tools = probeTools({ health: new Routed(), ping });
const scraper = new Agent({ keepAlive: true, maxSockets: atOnce });

async function measure(
  { check, target, checks }: Kind,
  module: string,
  blackbox: ChildProcess | null,
): Promise<Sample> {
  const before = process.cpuUsage();
  await times(checks, async () => {
    const { error } = await probeKindOnce(check, tools);
    if (error !== null) throw new Error(`${module}: ${error.message}`);
  });
  const { user, system } = process.cpuUsage(before);
  const ours = round((user + system) / 1000 / checks);
  if (blackbox?.pid === undefined) return { ours, blackbox: null };
  const seconds = cpuSecondsOf(blackbox.pid);
  await times(checks, () => scrape(module, target));
  return { ours, blackbox: round(((cpuSecondsOf(blackbox.pid) - seconds) * 1000) / checks) };
}

async function times(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

function scrape(module: string, target: string): Promise<void> {
  const path = `/probe?module=${module}&target=${target}`;
  return new Promise((resolve, reject) => {
    const request = get({ agent: scraper, host: '127.0.0.1', port: blackboxPort, path }, response => {
      let text = '';
      response.on('data', bytes => {
        text += bytes;
      });
      response.on('end', () =>
        /probe_success 1/.test(text) ? resolve() : reject(new Error(`blackbox_exporter failed at ${module}`)),
      );
    });
    request.on('error', reject);
  });
}
