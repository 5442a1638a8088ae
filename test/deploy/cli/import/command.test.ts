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
