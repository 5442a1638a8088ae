import { gzipSync } from 'node:zlib';
import { type CDPSession, chromium, type Page, type Request } from 'playwright-core';
import { insertAlert } from '#control-plane/monitoring/alerts/store.ts';
import { createPools } from '#control-plane/platform/db/pool.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { bundleDashboard } from '#control-plane/web/dashboard/bundle.ts';
import { minuteMs } from '#shared/duration.ts';
import { createLog } from '#shared/log.ts';
import { wait } from '#shared/wait.ts';
import { chromiumOptions } from '../support/browser.ts';
import { apiOf, createRegions, createTenant } from '../support/control-plane.ts';
import { signIn } from '../support/dashboard.ts';
import { cpuSecondsOf } from './cpu.ts';
import { writeDashboardHistory } from './load/dashboard-history.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite, type Site } from './site.ts';
import { createMonitors } from './uptime.ts';

const target = { firstRowsMs: 1000, idlePercent: 2, elements: 3000, bundleKb: 150 };
const counts = { monitors: 2000, alerts: 300, incidents: 200 };
const regions = ['ap-south', 'eu-west', 'us-east'];
const loads = 5;
const quietMs = 5000;
const idleMs = 60_000;

/** The list of monitors in Chromium: time to its first rows, and what it costs while nothing happens. */
export async function measureDashboard(run: RowRun): Promise<Row> {
  const site = await openSite(run, { ROLES: 'front' });
  await createRegions(site.databaseUrl, regions);
  const { projectId, token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const api = apiOf(site.url, token);
  const monitorIds = await createMonitors(api, counts.monitors);
  run.progress(`${monitorIds.length} monitors`);
  await fill(site, projectId, monitorIds);
  const page = (await api('POST', '/v0/status-pages', { name: 'Acme' })).body;
  for (let index = 0; index < counts.incidents; index++) {
    const incident = { status_page_id: page.id, title: `Incident ${index}`, severity: 'p3' };
    const { id } = (await api('POST', '/v0/incidents', incident)).body;
    if (index > 5) await api('POST', `/v0/incidents/${id}/resolve`, { body: 'Over.' });
  }
  run.progress('filled');
  const browser = await chromium.launch(chromiumOptions);
  run.opened.defer(() => browser.close());
  const tab = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const untilQuiet = watchRequests(tab);
  await tab.goto(`${site.url}/#/monitors`);
  await signIn(tab, token);
  const firstRows: number[] = [];
  for (let index = 0; index < loads; index++) firstRows.push(await timeToRows(tab));
  await tab
    .getByText(`${counts.monitors.toLocaleString('en')} monitors`)
    .or(tab.getByText('2000 monitors'))
    .waitFor();
  await untilQuiet();
  run.progress('idle for a minute');
  const session = await tab.context().newCDPSession(tab);
  await session.send('Performance.enable');
  const before = { page: await busySeconds(session), server: cpuSecondsOf(site.controlPlane().pid) };
  await wait(idleMs);
  const after = { page: await busySeconds(session), server: cpuSecondsOf(site.controlPlane().pid) };
  const percent = (seconds: number) => round((seconds / (idleMs / 1000)) * 100);
  const { files, first } = await bundleDashboard();
  const bytes = first.reduce((sum, name) => sum + gzipSync(files.get(name) ?? '').length, 0);
  const figure = {
    ...counts,
    firstRowsMs: round(median(firstRows), 0),
    idlePercent: percent(after.page - before.page),
    serverIdlePercent: percent(after.server - before.server),
    elements: await tab.evaluate<number>('document.querySelectorAll("*").length'),
    bundleKb: round(bytes / 1000, 1),
  };
  const pass =
    figure.firstRowsMs < target.firstRowsMs &&
    figure.idlePercent < target.idlePercent &&
    figure.serverIdlePercent < target.idlePercent &&
    figure.elements < target.elements &&
    figure.bundleKb <= target.bundleKb;
  return { name: 'dashboard', figure, target, pass, versions: await site.versions(), samples: { firstRows } };
}

/** From the reload of the page to its first row. */
async function timeToRows(page: Page): Promise<number> {
  const startedAt = performance.now();
  await page.reload({ waitUntil: 'commit' });
  await page.locator('[data-row]').first().waitFor();
  return performance.now() - startedAt;
}

/**
 * Resolves once the page asked for nothing but changes for a while: it reads the figures of all monitors long after its
 * first rows, and longer on a busy machine.
 */
function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let lastAt = performance.now();
  page.on('request', request => {
    if (!request.url().endsWith('/v0/changes')) open.add(request);
  });
  const end = (request: Request) => {
    if (open.delete(request)) lastAt = performance.now();
  };
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  return async () => {
    while (open.size > 0 || performance.now() < lastAt + quietMs) await wait(200);
  };
}

/** What the page's main thread worked, in seconds. */
async function busySeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

async function fill(site: Site, projectId: string, monitorIds: readonly string[]): Promise<void> {
  await writeDashboardHistory(site.databaseUrl, { projectId, monitorIds, regions, nowMs: Date.now() });
  const pools = createPools(site.databaseUrl, createLog({ name: 'bench', level: 'silent' }));
  try {
    const sql = sqlOf(pools.background);
    const nowMs = Date.now();
    for (const [index, monitorId] of monitorIds.slice(0, counts.alerts).entries())
      await insertAlert(
        sql,
        {
          projectId,
          monitorId,
          kind: 'down',
          title: `Monitor ${index} is down`,
          severity: 'p2',
          regionsFailing: regions,
          regions,
          quorum: 2,
          labels: {},
          rulesVersion: 1,
          reason: {
            summary: 'timeout',
            region: 'eu-west',
            expected: null,
            actual: null,
            status_code: null,
            error_code: null,
          },
          startedAt: nowMs - minuteMs,
          openedAt: nowMs - minuteMs,
        },
        nowMs,
      );
  } finally {
    await pools.end();
  }
}
