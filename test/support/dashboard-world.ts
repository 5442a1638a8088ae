import type { ExecutionContext } from 'ava';
import { insertAlert } from '#control-plane/monitoring/alerts/store.ts';
import { binCount, binOf } from '#control-plane/monitoring/checks/roll-up/latency-bins.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { insertVerdictHistory } from '#deploy/local/sample-store.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { type Api, apiOf, createRegions, createTenant, startReplica, withSql } from './control-plane.ts';
import {
  badResults,
  connectFakeAgent,
  expiring,
  type FakeAgent,
  goodResult,
  warnsOfCertificates,
} from './fake-agent.ts';

/** A project on a bad day: monitors in every state with history, alerts, a status page and incidents. */
export type DashboardWorld = {
  url: string;
  api: Api;
  token: string;
  agents: readonly FakeAgent[];
  ids: Record<string, string>;
  statusPageId: string;
};

const regions = ['eu-west', 'us-east', 'ap-south'];
const names = [
  'Shop',
  'Checkout API',
  'Search',
  'Sign-in',
  'Email relay',
  'Image CDN',
  'Warehouse',
  'Payments',
  'Docs',
];
const slow: Record<string, number> = { Search: 640, 'Image CDN': 35, Payments: 210 };

export async function openDashboardWorld(t: ExecutionContext, databaseUrl: string): Promise<DashboardWorld> {
  const secrets = await createRegions(databaseUrl, regions);
  const { token, projectId } = await createTenant(databaseUrl, ['*', 'agents:operate']);
  const replica = await startReplica(databaseUrl);
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, token);
  const agents = await Promise.all(regions.map(region => connectFakeAgent(replica.url, secrets[region]?.secret ?? '')));
  t.teardown(() => Promise.all(agents.map(agent => agent[Symbol.asyncDispose]())));
  const ids: Record<string, string> = {};
  for (const name of names) {
    const url = `https://${name.toLowerCase().replaceAll(' ', '-')}.example/health`;
    const body = {
      name,
      url,
      interval_seconds: 60,
      regions,
      assertions: [{ type: 'status', operator: 'eq', value: 200 }],
      ...(name === 'Search' ? warnsOfCertificates : {}),
    };
    ids[name] = (await api('POST', '/v0/monitors', body)).body.id;
  }
  await seedPast(databaseUrl, ids);
  await seedResults(agents, ids);
  await api('POST', `/v0/monitors/${ids.Warehouse}/pause`);
  const page = (await api('POST', '/v0/status-pages', { name: 'Acme', slug: 'acme' })).body;
  for (const name of ['Shop', 'Search', 'Payments']) {
    const monitorIds = [ids[name], ...(name === 'Shop' ? [ids['Checkout API']] : [])];
    await api('POST', '/v0/components', { status_page_id: page.id, name, monitor_ids: monitorIds });
  }
  await api('POST', `/v0/status-pages/${page.id}/subscribers`, {
    channel: 'email',
    email: 'ada@customer.example',
    consent: 'signed the form',
  });
  await seedIncident(api, page.id);
  await api('POST', '/v0/maintenances', {
    title: 'Move of the image servers',
    scope: { monitor_ids: [ids['Image CDN'], ids.Search] },
    starts_at: toTimestamp(Date.now() - 1_800_000),
    ends_at: toTimestamp(Date.now() + 7_200_000),
  });
  const insert = (sql: Sql, name: string, kind: 'down' | 'degraded', severity: 'p1' | 'p3', held: boolean) =>
    insertAlert(
      sql,
      {
        projectId,
        monitorId: ids[name] ?? '',
        title: `${name} is ${kind}`,
        severity,
        regionsFailing: ['eu-west', 'us-east'],
        regions,
        quorum: 2,
        labels: {},
        reason: {
          summary: 'expected status eq 200, got 503',
          region: 'us-east',
          expected: 'status eq 200',
          actual: '503',
          status_code: 503,
          error_code: null,
        },
        openedAt: Date.now() - 754_000,
        kind,
        held,
        rulesVersion: 1,
        startedAt: Date.now() - 754_000,
      },
      Date.now(),
    );
  await withSql(databaseUrl, async sql => {
    await insert(sql, 'Sign-in', 'down', 'p1', false);
    await insert(sql, 'Image CDN', 'down', 'p1', true);
    await insert(sql, 'Payments', 'degraded', 'p3', false);
  });
  return { url: replica.url, api, token, agents, ids, statusPageId: page.id };
}

/** 90 days of verdicts, and a week of hourly latencies that rise and fall. */
async function seedPast(databaseUrl: string, ids: Record<string, string>): Promise<void> {
  const now = Date.now();
  await withSql(databaseUrl, async sql => {
    for (const [index, [name, id]] of Object.entries(ids).entries()) {
      if (name === 'Docs') continue;
      const at = (daysAgo: number) => now - daysAgo * dayMs;
      const spans = [
        { verdict: 'down' as const, startMs: at(70 - 3 * index), endMs: at(70 - 3 * index) + 600_000 * (index + 1) },
        { verdict: 'degraded' as const, startMs: at(40 - index), endMs: at(40 - index) + 4_000_000 },
        ...(index % 3 === 0 ? [{ verdict: 'down' as const, startMs: at(9), endMs: at(9) + 9_000_000 }] : []),
      ];
      await insertVerdictHistory(sql, id, at(name === 'Payments' ? 45 : 89), spans);
      const rows = Array.from({ length: 160 }, (_, hoursAgo) => {
        const base = (slow[name] ?? 80) * (1.2 + Math.sin(hoursAgo / 4) / 3);
        const bins = new Array<number>(binCount).fill(0);
        bins[binOf(base)] = 55;
        bins[binOf(base * 2.2)] = 5;
        return {
          hour: toTimestamp(Math.floor(now / hourMs - hoursAgo) * hourMs),
          sum: base * 60,
          max: base * 2.4,
          bins,
        };
      });
      await sql.run`
        insert into checks_hourly
          (monitor_id, hour, region, ok, warn, err, latency_sum, latency_max, latency_bins)
        select ${id}, (row->>'hour')::timestamptz, 'eu-west', 60, 0, 0, (row->>'sum')::float8, (row->>'max')::real,
          array(select json_array_elements_text(row->'bins')::smallint)
        from json_array_elements(${JSON.stringify(rows)}::json) as row
        on conflict do nothing`;
    }
  });
}

async function seedResults(agents: readonly FakeAgent[], ids: Record<string, string>): Promise<void> {
  for (let minute = 20; minute >= 0; minute--) {
    const at = Math.floor((Date.now() - minute * 60_000) / 1000) * 1000 - 2000;
    await Promise.all(
      agents.map((agent, index) =>
        agent.report(
          Object.entries(ids).flatMap(([name, id]) => {
            if (name === 'Docs') return [];
            const latency = (slow[name] ?? 80) * (0.8 + index * 0.5 + Math.sin(minute * 1.7 + index) / 4);
            const outcome = {
              index: 0,
              type: 'status' as const,
              passed: true,
              expected: 'status eq 200',
              actual: '200',
            };
            const good = goodResult(id, at + index * 300, { latency_ms: latency, assertions: [outcome] });
            if (minute > 0 || name === 'Search')
              return [{ ...good, ...(name === 'Search' && minute < 3 ? expiring(at) : {}) }];
            if (name === 'Shop')
              return badResults(id, at - 1200, { error: { code: 'timeout', message: 'no answer within 10 s' } });
            if (name !== 'Checkout API' || index > 1) return [good];
            const failed = { ...outcome, passed: false, actual: '503' };
            return badResults(id, at - 1200, { error: null, status_code: 503, latency_ms: 41, assertions: [failed] });
          }),
        ),
      ),
    );
  }
}

async function seedIncident(api: Api, pageId: string): Promise<void> {
  const post = (title: string, severity: string, body: string) =>
    api('POST', '/v0/incidents', {
      title,
      severity,
      status_page_id: pageId,
      initial_update: { state: 'investigating', body },
    });
  const old = (await post('Search was slow in Asia', 'p3', 'Searches take several seconds.')).body;
  await api('POST', `/v0/incidents/${old.id}/resolve`, { body: 'An index was rebuilt. Searches are fast again.' });
  const now = (
    await post('Payments by card fail', 'p1', 'Some card payments are refused.\n\nWe are looking for the cause.')
  ).body;
  await api('POST', `/v0/incidents/${now.id}/updates`, {
    state: 'identified',
    body: 'Our **provider** has an outage. Payment by invoice works.',
  });
}
