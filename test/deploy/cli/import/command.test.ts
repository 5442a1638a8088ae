import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { useCommandLine } from '#test/support/command-line.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { kumaTime, writeKumaDatabase } from './kuma-database.ts';

const databaseOf = useDatabase(test);
const commandLine = useCommandLine(test);

test.serial('a database of Uptime Kuma is imported, applied and its history sent, twice with one result', async t => {
  const { api, url, token, regions } = await openMonitorWorld(t, databaseOf());
  const { run, folder } = commandLine();
  const nowMs = Date.now();
  const database = writeKumaDatabase(1, {
    monitor: [
      {
        id: 1,
        name: 'Shop',
        type: 'http',
        url: 'https://shop.example.org/',
        headers: '{"X-Key": "very-secret"}',
        active: 1,
        interval: 60,
      },
      { id: 2, name: 'Box', type: 'docker', active: 1, interval: 60 },
    ],
    heartbeat: Array.from({ length: 3000 }, (_, index) => ({
      monitor_id: 1,
      status: index % 2,
      time: kumaTime(nowMs - 5 * dayMs + index * minuteMs),
    })),
  });
  const made = await run(['import', 'kuma', database, '--out', 'kuma', '--regions', regions.slice(0, 3).join(',')]);
  t.is(made.code, 0, made.stderr);
  t.regex(
    made.stderr,
    /^1 carried, 0 changed, 1 left out: kuma\/report\.md\nNext: upquorum apply kuma --env-file kuma\/secrets\.env\n/,
  );
  const names = (await readdir(join(folder, 'kuma'))).toSorted();
  t.deepEqual(names, ['history.ndjson', 'report.json', 'report.md', 'secrets.env', 'upquorum.yaml']);
  t.is((await stat(join(folder, 'kuma/secrets.env'))).mode & 0o777, 0o600);
  for (const name of names.filter(one => one !== 'secrets.env'))
    t.false((await readFile(join(folder, 'kuma', name), 'utf8')).includes('very-secret'), name);
  const again = await run(['import', 'kuma', database, '--out', 'kuma']);
  t.regex(again.stderr, /kuma is not empty\nWith --force/);

  const env = { UPQUORUM_URL: url, UPQUORUM_TOKEN: token };
  const early = await run(['import', 'send', 'kuma'], { env });
  t.is(early.code, 1);
  t.regex(early.stderr, /no monitor with the key shop\nFirst: upquorum apply kuma/);
  const applied = await run(['apply', 'kuma', '--env-file', 'kuma/secrets.env', '--yes'], { env });
  t.is(applied.code, 0, applied.stderr);
  const [monitor] = (await api('GET', '/v0/monitors')).body.data;
  const uptime = async () => (await api('GET', `/v0/monitors/${monitor.id}/uptime`)).body.data;
  const before = await run(['import', 'send', 'kuma'], { env });
  t.is(before.code, 0, before.stderr);
  const days = await uptime();
  t.like(days[1], { uptime: 0.5, imported_seconds: days[1].observed_seconds });
  t.is((await run(['import', 'send', 'kuma'], { env })).code, 0);
  t.deepEqual(await uptime(), days);
});

test.serial('past incidents of Statuspage are sent to the page, twice with one result', async t => {
  const { api, url, token, projectId } = await openMonitorWorld(t, databaseOf());
  const { run, write } = commandLine();
  const at = (hour: number) => `2026-03-04T${hour}:00:00.000Z`;
  const update = (status: string, hour: number) => ({ status, body: `It is ${status}.`, created_at: at(hour) });
  const [components, incidents] = [
    [{ id: 'c1', name: 'API', position: 1 }],
    [
      {
        id: 'i1',
        name: 'Slow',
        impact: 'major',
        started_at: at(10),
        components: [{ id: 'c1' }],
        incident_updates: [update('resolved', 12), update('investigating', 10)],
      },
    ],
  ];
  const page = { id: 'p1', name: 'Acme', url: `https://acme-${projectId.slice(-8)}.example` };
  await write('summary.json', JSON.stringify({ page, components, incidents: [], scheduled_maintenances: [] }));
  await write('incidents.json', JSON.stringify({ page, incidents }));
  const env = { UPQUORUM_URL: url, UPQUORUM_TOKEN: token };
  const imported = await run(['import', 'statuspage', 'summary.json', 'incidents.json', '--out', 'page']);
  t.is(imported.code, 0, imported.stderr);
  t.is((await run(['apply', 'page', '--yes'], { env })).code, 0);
  for (const time of [1, 2]) {
    const sent = await run(['import', 'send', 'page'], { env });
    t.regex(sent.stderr, /1 incidents/, `${time}: ${sent.stderr}`);
  }
  const { data } = (await api('GET', '/v0/incidents')).body;
  t.is(data.length, 1);
  const [component] = (await api('GET', '/v0/components')).body.data;
  t.like(data[0], { title: 'Slow', imported_from: 'Statuspage', resolved_at: at(12) });
  t.deepEqual(data[0].affected_components, [component.id]);
});

test.serial('what is wrong with an import is said in a sentence', async t => {
  const { run, write } = commandLine();
  await write('gatus.yaml', 'endpoints: [{ name: a, url: "https://a.example", conditions: ["[STATUS] == 200"] }]');
  const cases: [args: string[], code: number, message: RegExp][] = [
    [['import', 'gats', 'x', '--out', 'o'], 64, /no source gats\nDid you mean gatus\?/],
    [['import', 'blackbox', 'x', '--out', 'o'], 64, /needs MODULES PROMETHEUS/],
    [['import', 'gatus', 'gatus.yaml'], 64, /needs --out/],
    [['import', 'gatus', 'gatus.yaml', '--out', 'o'], 1, /--regions eu-west,us-east/],
    [['import', 'gatus', 'none.yaml', '--out', 'o'], 1, /ENOENT/],
    [['import', 'healthchecks', 'gatus.yaml', '--out', 'o'], 1, /is no list of checks of Healthchecks/],
    [['import', 'kuma', 'gatus.yaml', '--out', 'o'], 1, /is no database of SQLite/],
    [['import', 'send', 'nowhere'], 1, /nowhere is no folder of an import/],
  ];
  for (const [args, code, message] of cases) {
    const ran = await run(args);
    t.is(ran.code, code, `${args.join(' ')}: ${ran.stderr}`);
    t.regex(ran.stderr, message);
  }
});
