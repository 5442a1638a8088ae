import { join } from 'node:path';
import got, { type Got } from 'got';
import pg from 'pg';
import { connectionOptions } from '#control-plane/db/pool.ts';
import { sqlOf } from '#control-plane/db/sql.ts';
import { moveIncident, type PastSpan, writePast } from './sample-store.ts';
import { type Credentials, localRegions } from './setup.ts';
import { writeState } from './state-file.ts';

/** Address of the sample page. */
export const sampleSlug = 'demo';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const pastDays = 90;

type Past = { verdict: PastSpan['verdict']; daysAgo: number; minutes: number };

const components: { name: string; description: string; group: string | null; path: string; past: Past[] }[] = [
  {
    name: 'Website',
    description: 'Pages and sign-in',
    group: null,
    path: '/',
    past: [{ verdict: 'degraded', daysAgo: 33, minutes: 41 }],
  },
  {
    name: 'Public API',
    description: 'Requests under /v0',
    group: 'Platform',
    path: '/healthz',
    past: [
      { verdict: 'down', daysAgo: 71, minutes: 7 },
      { verdict: 'down', daysAgo: 19, minutes: 96 },
      { verdict: 'degraded', daysAgo: 18, minutes: 30 },
    ],
  },
  {
    name: 'OpenAPI document',
    description: 'The description that clients are made from',
    group: 'Platform',
    path: '/v0/openapi.json',
    past: [{ verdict: 'down', daysAgo: 6, minutes: 18 }],
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
      ['investigating', 'Requests to the API fail. We look for the cause.'],
      ['identified', 'A **full disk** on the database stopped writes. We free space.'],
      ['monitoring', 'Space is free and requests succeed again.'],
      ['resolved', 'All requests have succeeded for an hour.'],
    ],
    postmortem: 'A log was not rotated.\n\n- Rotation is on now\n- A disk three quarters full opens an alert',
  },
  {
    component: 2,
    title: 'OpenAPI document answered slowly',
    severity: 'p3',
    daysAgo: 6,
    minutes: 18,
    updates: [
      ['investigating', 'The document takes many seconds to load.'],
      ['resolved', 'A cache was cold after a deployment. It is warm.'],
    ],
    postmortem: null,
  },
] as const;

/** A status page with components on live monitors and a made-up past, once a project: who deletes it does not get it back. */
export async function makeSamplePage(
  dataDir: string,
  databaseUrl: string,
  baseUrl: string,
  credentials: Credentials,
): Promise<void> {
  if (credentials.sample_page === true) return;
  const api = got.extend({
    prefixUrl: baseUrl,
    headers: { authorization: `Bearer ${credentials.token}` },
    retry: { limit: 3 },
  });
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: connectionOptions({ worker: true, statementTimeoutMs: 10_000 }),
  });
  await client.connect();
  try {
    await make(api, sqlOf(client), baseUrl, Date.now());
  } finally {
    await client.end();
  }
  credentials.sample_page = true;
  await writeState(join(dataDir, 'credentials.json'), credentials);
}

async function make(api: Got, sql: ReturnType<typeof sqlOf>, baseUrl: string, nowMs: number): Promise<void> {
  const page = {
    name: 'Demo',
    slug: sampleSlug,
    description: 'A sample that npm start made: the monitors are real, what happened before today is made up.',
  };
  const made = await api.post('v0/status-pages', { json: page, throwHttpErrors: false });
  // Another project on this database has the sample already.
  if (made.statusCode === 409) return;
  const pageId = (JSON.parse(made.body) as { id: string }).id;
  const componentIds: string[] = [];
  for (const { name, description, group, path, past } of components) {
    const monitor = { name, url: `${baseUrl}${path}`, interval_seconds: 60, regions: localRegions };
    const monitorId = await create(api, 'v0/monitors', monitor);
    const spans = past
      .map(span => spanOf(span.verdict, nowMs, span))
      .sort((left, right) => left.startMs - right.startMs);
    await writePast(sql, monitorId, nowMs - pastDays * dayMs, spans);
    const component = { status_page_id: pageId, name, description, group, monitor_ids: [monitorId] };
    componentIds.push(await create(api, 'v0/components', component));
  }
  for (const { component, title, severity, updates, postmortem, ...when } of incidents) {
    const body = { title, severity, status_page_id: pageId, affected_components: [componentIds[component]] };
    const id = await create(api, 'v0/incidents', body);
    for (const [state, text] of updates) await api.post(`v0/incidents/${id}/updates`, { json: { state, body: text } });
    if (postmortem !== null) await api.patch(`v0/incidents/${id}`, { json: { postmortem_body: postmortem } });
    const { startMs, endMs } = spanOf('down', nowMs, when);
    await moveIncident(sql, id, startMs, endMs);
  }
  // Published again with its past.
  await api.patch(`v0/status-pages/${pageId}`, { json: {} });
}

function spanOf(verdict: PastSpan['verdict'], nowMs: number, when: { daysAgo: number; minutes: number }): PastSpan {
  const startMs = nowMs - when.daysAgo * dayMs;
  return { verdict, startMs, endMs: startMs + when.minutes * minuteMs };
}

async function create(api: Got, path: string, json: object): Promise<string> {
  return (await api.post(path, { json }).json<{ id: string }>()).id;
}
