import { join } from 'node:path';
import type { Got } from 'got';
import pg from 'pg';
import { connectionOptions } from '#control-plane/platform/db/pool.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { backdateIncident, insertVerdictHistory, type VerdictSpan } from './sample-store.ts';
import { type Credentials, type LocalAddresses, localApi, localRegions } from './setup.ts';
import { writeState } from './state-file.ts';

/** The sample page is at /status/demo. */
const sampleSlug = 'demo';

const historyDays = 90;

type HistoryEntry = { verdict: VerdictSpan['verdict']; daysAgo: number; minutes: number };

const components: { name: string; description: string; group: string | null; path: string; history: HistoryEntry[] }[] =
  [
    {
      name: 'Website',
      description: 'Pages and sign-in',
      group: null,
      path: '/',
      history: [{ verdict: 'degraded', daysAgo: 33, minutes: 41 }],
    },
    {
      name: 'Public API',
      description: 'Requests under /v0',
      group: 'Platform',
      path: '/healthz',
      history: [
        { verdict: 'down', daysAgo: 71, minutes: 7 },
        { verdict: 'down', daysAgo: 19, minutes: 96 },
        { verdict: 'degraded', daysAgo: 18, minutes: 30 },
      ],
    },
    {
      name: 'OpenAPI document',
      description: 'The API description that clients are generated from',
      group: 'Platform',
      path: '/v0/openapi.json',
      history: [{ verdict: 'down', daysAgo: 6, minutes: 18 }],
    },
  ];

const incidents = [
  {
    component: 1,
    title: 'API refused connections',
    severity: 'p1',
    daysAgo: 19,
    minutes: 96,
    updates: [
      ['investigating', 'Requests to the API are failing. We are investigating.'],
      ['identified', 'A **full disk** on the database stopped writes. We are freeing up space.'],
      ['monitoring', 'The disk has free space and requests succeed again.'],
      ['resolved', 'All requests have succeeded for the past hour.'],
    ],
    postmortem: 'A log file was not rotated.\n\n- It is rotated now\n- A disk that is 75% full now opens an alert',
  },
  {
    component: 2,
    title: 'OpenAPI document was slow to load',
    severity: 'p3',
    daysAgo: 6,
    minutes: 18,
    updates: [
      ['investigating', 'The document takes several seconds to load.'],
      ['resolved', 'A cache was cold after a deployment. It has warmed up.'],
    ],
    postmortem: null,
  },
] as const;

/** Creates a status page with live monitors and sample history, once: deleted, it is not created again. */
export async function createSamplePage(
  dataDir: string,
  databaseUrl: string,
  { baseUrl, watchedUrl }: LocalAddresses,
  credentials: Credentials,
): Promise<void> {
  if (credentials.sample_page === true) return;
  const api = localApi(baseUrl, (credentials.sample ?? credentials).token);
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: connectionOptions({ worker: true, statementTimeoutMs: 10_000 }),
  });
  await client.connect();
  try {
    await createPage(api, sqlOf(client), watchedUrl, Date.now());
  } finally {
    await client.end();
  }
  credentials.sample_page = true;
  await writeState(join(dataDir, 'credentials.json'), credentials);
}

async function createPage(api: Got, sql: Sql, watchedUrl: string, nowMs: number): Promise<void> {
  const page = {
    name: 'Demo',
    slug: sampleSlug,
    description: 'A sample page created by npm start: real monitors, with sample history before today.',
  };
  const created = await api.post('v0/status-pages', { json: page, throwHttpErrors: false });
  // Another project on this database already has the sample.
  if (created.statusCode === 409) return;
  const pageId = (JSON.parse(created.body) as { id: string }).id;
  const componentIds: string[] = [];
  for (const { name, description, group, path, history } of components) {
    const monitor = { name, url: `${watchedUrl}${path}`, interval_seconds: 60, regions: localRegions };
    const monitorId = await create(api, 'v0/monitors', monitor);
    const spans = history
      .map(span => spanOf(span.verdict, nowMs, span))
      .sort((left, right) => left.startMs - right.startMs);
    await insertVerdictHistory(sql, monitorId, nowMs - historyDays * dayMs, spans);
    const component = { status_page_id: pageId, name, description, group, monitor_ids: [monitorId] };
    componentIds.push(await create(api, 'v0/components', component));
  }
  for (const { component, title, severity, updates, postmortem, ...when } of incidents) {
    const body = { title, severity, status_page_id: pageId, affected_components: [componentIds[component]] };
    const id = await create(api, 'v0/incidents', body);
    for (const [state, text] of updates) await api.post(`v0/incidents/${id}/updates`, { json: { state, body: text } });
    if (postmortem !== null) await api.patch(`v0/incidents/${id}`, { json: { postmortem_body: postmortem } });
    const { startMs, endMs } = spanOf('down', nowMs, when);
    await backdateIncident(sql, id, startMs, endMs);
  }
  // Publishes the page again, with its history.
  await api.patch(`v0/status-pages/${pageId}`, { json: {} });
}

function spanOf(
  verdict: VerdictSpan['verdict'],
  nowMs: number,
  when: { daysAgo: number; minutes: number },
): VerdictSpan {
  const startMs = nowMs - when.daysAgo * dayMs;
  return { verdict, startMs, endMs: startMs + when.minutes * minuteMs };
}

async function create(api: Got, path: string, json: object): Promise<string> {
  return (await api.post(path, { json }).json<{ id: string }>()).id;
}
