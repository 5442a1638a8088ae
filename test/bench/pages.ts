import { execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import got from 'got';
import { insertVerdictHistory } from '#deploy/local/sample-store.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { wait } from '#shared/wait.ts';
import { type Api, apiOf, createRegions, createTenant, until, withSql } from '../support/control-plane.ts';
import { cpuSecondsOf } from './cpu.ts';
import { startSlowReaders } from './load/slow-readers.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite, type Site } from './site.ts';

const run = promisify(execFile);
const components = 90;
const target = { pagesPerSecond: 5000, p99Ms: 25 };

type Load = { pagesPerSecond: number; p99Ms: number; cpuUsPerPage: number };

const gzip = ['-H', 'Accept-Encoding: gzip'];
const slowReaders = 1000;

/**
 * P7: a page of 90 components × 90 days from one process while an update is posted each second, against nginx:
 * compressed, as it is for clients that do not ask for compression, and beside 1,000 clients that read slowly.
 */
export async function measurePages(rowRun: RowRun): Promise<Row> {
  const site = await openSite(rowRun);
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const api = apiOf(site.url, token);
  const incidentId = await makePage(site, api);
  const url = `${site.url}/status/bench`;
  const zipped = await got(url, {
    responseType: 'buffer',
    decompress: false,
    headers: { 'accept-encoding': 'gzip' },
  });
  const bytes = Buffer.from(zipped.body);
  const plainBytes = gunzipSync(bytes);
  rowRun.progress(`the page has ${plainBytes.length} bytes, ${bytes.length} compressed`);
  const nginx = await startNginx(site, { page: bytes, plain: plainBytes }, rowRun);
  const posting = new AbortController();
  const posts = postEachSecond(api, incidentId, posting.signal);
  // Awaited below; if the row fails before, its error counts.
  posts.catch(() => undefined);
  const pid = () => site.controlPlane().pid;
  const samples = { ours: [] as Load[], nginx: [] as Load[], oursPlain: [] as Load[], nginxPlain: [] as Load[] };
  for (let pair = 0; pair < (rowRun.full ? 5 : 3); pair++) {
    samples.ours.push(await load(url, pid(), gzip));
    samples.nginx.push(await load(`${nginx.url}/page`, nginx.pid, gzip));
    samples.oursPlain.push(await load(url, pid()));
    samples.nginxPlain.push(await load(`${nginx.url}/plain`, nginx.pid));
    rowRun.progress(`${samples.ours.at(-1)?.pagesPerSecond} pages/s, nginx ${samples.nginx.at(-1)?.pagesPerSecond}`);
  }
  const besideSlow: Load[] = [];
  const readers = await startSlowReaders(url, slowReaders);
  for (let turn = 0; turn < 3; turn++) besideSlow.push(await load(url, pid(), gzip));
  const stillReading = readers.end();
  posting.abort();
  const posted = await posts;
  const middle = (loads: readonly Load[], pick: keyof Load) => median(loads.map(sample => sample[pick]));
  const cpuOf = (ours: readonly Load[], theirs: readonly Load[]) =>
    round(middle(ours, 'cpuUsPerPage') / middle(theirs, 'cpuUsPerPage'), 2);
  const figure = {
    pagesPerSecond: middle(samples.ours, 'pagesPerSecond'),
    p99Ms: middle(samples.ours, 'p99Ms'),
    cpuOfNginx: cpuOf(samples.ours, samples.nginx),
    plainPerSecond: middle(samples.oursPlain, 'pagesPerSecond'),
    plainCpuOfNginx: cpuOf(samples.oursPlain, samples.nginxPlain),
    besideSlowPerSecond: middle(besideSlow, 'pagesPerSecond'),
    besideSlowP99Ms: middle(besideSlow, 'p99Ms'),
    slowReaders: stillReading,
    bytesCompressed: bytes.length,
    bytes: plainBytes.length,
    updatesPosted: posted,
  };
  return {
    name: 'P7',
    figure,
    target,
    pass: figure.pagesPerSecond >= target.pagesPerSecond && figure.p99Ms < target.p99Ms,
    versions: { ...(await site.versions()), nginx: nginx.version },
    samples: { ...samples, besideSlow },
  };
}

async function makePage(site: Site, api: Api): Promise<string> {
  await createRegions(site.databaseUrl, ['bench']);
  const page = (await api('POST', '/v0/status-pages', { name: 'Bench', slug: 'bench' })).body;
  const nowMs = Date.now();
  let first = '';
  for (let index = 0; index < components; index++) {
    const monitor = { name: `M${index}`, url: 'http://127.0.0.1:9/', interval_seconds: 86_400, regions: ['bench'] };
    const { id } = (await api('POST', '/v0/monitors', monitor)).body;
    const spans = [index % 7, 20 + (index % 50)].map(days => {
      const startMs = nowMs - (days + 1) * dayMs;
      return { verdict: 'down' as const, startMs, endMs: startMs + (index + 1) * minuteMs };
    });
    spans.sort((left, right) => left.startMs - right.startMs);
    await withSql(site.databaseUrl, sql => insertVerdictHistory(sql, id, nowMs - 90 * dayMs, spans));
    const component = {
      status_page_id: page.id,
      name: `Component ${index}`,
      monitor_ids: [id],
      group: `Group ${index % 9}`,
    };
    const created = await api('POST', '/v0/components', component);
    first ||= created.body.id;
  }
  const incident = { title: 'Bench', severity: 'p2', status_page_id: page.id, affected_components: [first] };
  const { id } = (await api('POST', '/v0/incidents', incident)).body;
  await until(
    () => got(`${site.url}/status/bench`).text(),
    text => text.includes(`Component ${components - 1}`) && text.includes(id),
  );
  return id as string;
}

async function postEachSecond(api: Api, incidentId: string, signal: AbortSignal): Promise<number> {
  let posted = 0;
  while (!signal.aborted) {
    const answer = await api('POST', `/v0/incidents/${incidentId}/updates`, {
      state: 'identified',
      body: `Step ${posted}`,
    });
    if (answer.status === 201) posted += 1;
    await wait(1000, { signal }).catch(() => undefined);
  }
  return posted;
}

/** Loads a page with Debian's wrk: 64 connections on one thread. CPU is that of the server's processes. */
async function load(url: string, pid: number, headers: readonly string[] = []): Promise<Load> {
  const before = cpuSecondsOf(pid);
  const { stdout } = await run('wrk', ['-t1', '-c64', '-d6s', '--timeout', '30s', '--latency', ...headers, url]);
  const cpuSeconds = cpuSecondsOf(pid) - before;
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`not every request was answered:\n${stdout}`);
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const [, value = '', unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? [];
  const scale: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };
  return {
    pagesPerSecond: Math.round(Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])),
    p99Ms: round(Number(value) * (scale[unit] ?? 1), 2),
    cpuUsPerPage: round((cpuSeconds * 1e6) / requests, 1),
  };
}

/** Starts Debian's nginx with one worker, serving the same bytes from files: `/page` compressed, `/plain` not. */
async function startNginx(
  site: Site,
  files: { page: Buffer; plain: Buffer },
  { opened }: RowRun,
): Promise<{ url: string; pid: number; version: string }> {
  const folder = join(site.folder, 'nginx');
  await mkdir(folder);
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log; user root;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000; open_file_cache max=10; default_type text/html;
  server { listen 127.0.0.1:${port}; root ${folder}; location /page { add_header Content-Encoding gzip; } }
}`,
  );
  const child = spawn('/usr/sbin/nginx', ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  opened.defer(() => void child.kill('SIGTERM'));
  const url = `http://127.0.0.1:${port}`;
  await until(
    () =>
      got(`${url}/page`, { retry: { limit: 0 } }).then(
        () => true,
        () => false,
      ),
    answered => answered,
  );
  const { stderr } = await run('/usr/sbin/nginx', ['-v']);
  return { url, pid: child.pid ?? 0, version: stderr.trim().replace(/^.*\//, '') };
}
