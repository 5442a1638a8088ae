import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { openDatabase } from '#deploy/cli/import/kuma/database.ts';
import { importKuma } from '#deploy/cli/import/kuma/kuma.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { kumaTime, writeKumaDatabase } from '#test/deploy/cli/import/kuma-database.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

type Fields = Record<string, unknown>;
const iso = (ms: number) => new Date(ms).toISOString();

async function openWorld(t: ExecutionContext) {
  const world = await openMonitorWorld(t, databaseOf());
  const monitor = (await world.post()).body;
  const path = `/v0/monitors/${monitor.id}/history`;
  const importHistory = (body: Fields) => world.api('POST', path, { source: 'kuma', ...body });
  const verdicts = async () =>
    (await world.api('GET', `/v0/monitors/${monitor.id}/verdicts?limit=200`)).body.data.map(
      ({ verdict, since, cause }: Fields) => [verdict, since, cause],
    );
  return { ...world, monitor, importHistory, verdicts };
}

test.serial('imported verdicts stand before those of the monitor, count as uptime and change nothing else', async t => {
  const { api, monitor, importHistory, verdicts } = await openWorld(t);
  const day = Math.floor(Date.now() / dayMs) * dayMs - 10 * dayMs;
  const body = {
    from: iso(day),
    until: iso(day + dayMs),
    rows: [
      { since: iso(day + hourMs), verdict: 'up' },
      { since: iso(day + 2 * hourMs), verdict: 'down', estimated: true },
      { since: iso(day + 3 * hourMs), verdict: 'up' },
    ],
  };
  const imported = await importHistory(body);
  t.is(imported.status, 200, JSON.stringify(imported.body));
  t.is(imported.body.rows, 4);
  const expected = [
    ['undetermined', iso(day + dayMs), 'import'],
    ['up', iso(day + 3 * hourMs), 'import'],
    ['down', iso(day + 2 * hourMs), 'import'],
    ['up', iso(day + hourMs), 'import'],
    ['undetermined', iso(day), 'import'],
  ];
  t.deepEqual((await verdicts()).slice(-5), expected);
  t.is((await importHistory(body)).status, 200);
  t.deepEqual((await verdicts()).slice(-5), expected, 'sent again, nothing is there twice');
  const { data } = (await api('GET', `/v0/monitors/${monitor.id}/uptime`)).body;
  t.like(data[0], {
    bucket: iso(day).slice(0, 10),
    observed_seconds: 23 * 3600,
    imported_seconds: 23 * 3600,
    down_seconds: 3600,
  });
  t.deepEqual((await api('GET', `/v0/alerts?monitor_id=${monitor.id}`)).body.data, []);
  t.like((await api('GET', `/v0/monitors/${monitor.id}`)).body, {
    status: 'pending',
    status_since: monitor.status_since,
  });
  const [entry] = (await api('GET', '/v0/audit?limit=1')).body.data;
  t.like(entry, { action: 'monitor.history_imported', via: 'import', after: { source: 'kuma', rows: 4 } });
  t.is((await importHistory({ ...body, rows: [] })).body.rows, 0);
  t.is((await verdicts()).filter(([, , cause]: unknown[]) => cause === 'import').length, 1, 'only the end is left');
});

test.serial('what lies outside of the times that may be imported is refused', async t => {
  const { api, apiWith, monitor, importHistory } = await openWorld(t);
  const day = Date.now() - 10 * dayMs;
  const row = (since: number) => ({ since: iso(since), verdict: 'up' });
  const refused: [Fields, string][] = [
    [{ from: iso(Date.now() - 401 * dayMs), until: iso(day), rows: [] }, '/from'],
    [{ from: iso(day), until: iso(Date.now() + dayMs), rows: [] }, '/until'],
    [{ from: iso(day), until: iso(day), rows: [] }, '/until'],
    [{ from: iso(day), until: iso(day + 1000), rows: [row(day - 1)] }, '/rows/0/since'],
    [{ from: iso(day), until: iso(day + 1000), rows: [row(day + 1000)] }, '/rows/0/since'],
    [{ from: iso(day), until: iso(day + 1000), rows: [row(day), row(day)] }, '/rows/1/since'],
  ];
  for (const [body, pointer] of refused)
    t.like((await importHistory(body)).body, {
      code: 'validation_failed',
      errors: [{ pointer, code: 'out_of_range' }],
    });
  const body = { source: 'kuma', from: iso(day), until: iso(day + 1000), rows: [row(day)] };
  const reader = await apiWith(['monitors:read']);
  t.is((await reader('POST', `/v0/monitors/${monitor.id}/history`, body)).status, 403);
  const { api: other } = await openMonitorWorld(t, databaseOf());
  t.is((await other('POST', `/v0/monitors/${monitor.id}/history`, body)).status, 404);
  t.is((await api('POST', '/v0/monitors/mon_none/history', body)).status, 404);
});

test.serial('a database of Uptime Kuma with history becomes a status page with its 90 days', async t => {
  const { api, url, regions, projectId } = await openMonitorWorld(t, databaseOf());
  const nowMs = Date.now();
  const slug = `kuma-${projectId.slice(-8)}`;
  const midnight = Math.floor(nowMs / dayMs) * dayMs;
  const daily = Array.from({ length: 88 }, (_, index) => ({
    monitor_id: 1,
    timestamp: (midnight - (index + 2) * dayMs) / 1000,
    up: index === 9 ? 1290 : 1440,
    down: index === 9 ? 150 : 0,
  }));
  using source = await openDatabase(
    writeKumaDatabase(2, {
      monitor: [{ id: 1, name: 'Shop', type: 'http', url: 'https://shop.example.org/', active: 1, interval: 60 }],
      heartbeat: Array.from({ length: 100 }, (_, index) => ({
        monitor_id: 1,
        status: 1,
        time: kumaTime(midnight - dayMs + index * minuteMs),
      })),
      stat_daily: daily,
      status_page: [{ id: 1, slug, title: 'Acme', icon: '', theme: 'auto', published: 1 }],
      group: [{ id: 1, name: 'Services', active: 1, weight: 1, status_page_id: 1 }],
      monitor_group: [{ id: 1, monitor_id: 1, group_id: 1, weight: 1 }],
    }),
  );
  const imported = importKuma(source, { manager: 'imported', regions, withHistory: true, environment: {}, nowMs });
  const document = stringify(imported.document, { aliasDuplicateObjects: false });
  const planned = await api('POST', '/v0/config/plan', {
    documents: [{ path: 'upquorum.yaml', text: document }],
    env: imported.env,
  });
  t.is(planned.status, 200, JSON.stringify(planned.body));
  t.is((await api('POST', '/v0/config/apply', { plan_id: planned.body.id })).status, 200);
  const [monitor] = (await api('GET', '/v0/monitors')).body.data;
  const [history] = imported.history;
  if (history === undefined) return t.fail();
  const end = Math.min(history.until, Date.parse(monitor.created_at));
  const sent = await api('POST', `/v0/monitors/${monitor.id}/history`, {
    source: 'Uptime Kuma',
    from: iso(history.from),
    until: iso(end),
    rows: history.rows.map(row => ({ ...row, since: iso(row.since) })),
  });
  t.is(sent.status, 200, JSON.stringify(sent.body));
  const readPage = async () => (await fetch(`${url}/status/${slug}`)).text();
  const page = await until(readPage, text => text.includes('brought from Uptime Kuma'));
  t.regex(page, /89\.58% up, 2 hr 30 min down, brought from Uptime Kuma/);
  const days = (await api('GET', `/v0/monitors/${monitor.id}/uptime?from=${iso(nowMs - 89 * dayMs).slice(0, 10)}`)).body
    .data;
  t.is(days.length, 89);
  t.is(days.filter((day: { uptime: number }) => day.uptime < 1).length, 1);
});
