import { Buffer } from 'node:buffer';
import { readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { splitCsv, splitLines } from '#deploy/cli/analytics/records.ts';
import { useCommandLine } from '#test/support/command-line.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';
import { startTarget } from '#test/support/target.ts';

const databaseOf = useDatabase(test);
const commandLine = useCommandLine(test);
const range = ['--from', '2026-01-01', '--to', '2026-01-02'];

test('records are whole, wherever the text of an answer is cut', t => {
  const lines = ['{"id":"evt_1","name":"a\\nb"}\n', '{"id":"evt_2"}\n', '{"complete":true,"count":2}\n'];
  const records = ['id,name\r\n', 'evt_1,"two\nlines, ""quoted"""\r\n', 'evt_2,plain\r\n'];
  const cuts = fc.array(fc.nat(60), { maxLength: 6 });
  fc.assert(
    fc.property(cuts, fc.boolean(), (places, isCsv) => {
      const expected = isCsv ? records : lines;
      const text = expected.join('');
      const split = isCsv ? splitCsv() : splitLines();
      const ends = [0, ...places.toSorted((one, other) => one - other), text.length];
      const found = ends.slice(1).flatMap((end, index) => split(text.slice(ends[index], end)));
      t.deepEqual(
        found.map(record => record.text),
        expected,
      );
      t.deepEqual(
        found.flatMap(record => record.id ?? []),
        ['evt_1', 'evt_2'],
      );
    }),
  );
});

test.serial('an export of events goes on where a connection, or the command, broke off', async t => {
  const world = await openEventWorld(t, databaseOf());
  const atOf = (index: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, index % 40)).toISOString();
  const events = Array.from({ length: 150 }, (_, index) => ({
    type: 'track',
    name: index % 3 === 0 ? 'view' : 'a "b", c',
    external_user_id: `u${index % 5}`,
    timestamp: atOf(index),
  }));
  t.is((await world.send(events)).status, 202);
  const direct = await fetch(`${world.replica.url}/v0/events/export?from=${atOf(0)}&to=${atOf(39).slice(0, -5)}.999Z`, {
    headers: { Authorization: `Bearer ${world.token}` },
  });
  const expected = await direct.text();
  let cutsLeft = 0;
  await using proxy = await startTarget(async ({ method, url, headers }, response) => {
    const answered = await fetch(`${world.replica.url}${url}`, { method: method ?? '', headers: headers as never });
    const body = Buffer.from(await answered.arrayBuffer());
    response.writeHead(answered.status, {
      'Content-Type': answered.headers.get('content-type') ?? '',
      'Content-Length': body.length,
    });
    const isCut = body.length > 9000 && cutsLeft-- > 0;
    response.write(isCut ? body.subarray(0, 9000) : body, () => {
      if (isCut) response.destroy();
      else response.end();
    });
  });
  const { run, folder } = commandLine();
  const env = { UPQUORUM_URL: proxy.url.replace(/\/$/, ''), UPQUORUM_TOKEN: world.token };
  const call = async (...args: string[]) => {
    const ran = await run(args, { env });
    t.is(ran.code, 0, ran.stderr);
    return ran;
  };
  cutsLeft = 2;
  t.is((await call('events', 'export', ...range)).stdout, expected);
  t.true(cutsLeft <= 0, 'it was cut');
  const file = join(folder, 'events.ndjson');
  t.regex((await call('events', 'export', ...range, '--out', file)).stderr, /: 150 events\.\n$/);
  t.is((await stat(file)).mode & 0o777, 0o600);
  for (const bytes of [0, 100, 7001, expected.length - 3]) {
    await truncate(file, bytes);
    await call('events', 'export', ...range, '--out', file);
    t.is(await readFile(file, 'utf8'), expected, `cut at ${bytes}`);
  }
  t.regex((await call('events', 'export', ...range, '--out', file)).stderr, /is complete: it has 150 events/);

  cutsLeft = 1;
  const { stdout } = await call('events', 'export', ...range, '--csv');
  t.is(stdout.split('evt_').length, 151);
  t.is(stdout.split('id,name').length, 2);
  const table = join(folder, 'events.csv');
  await call('events', 'export', ...range, '--csv', '--out', table);
  for (const bytes of [5, 7001]) {
    await truncate(table, bytes);
    await call('events', 'export', ...range, '--csv', '--out', table);
    t.is(await readFile(table, 'utf8'), stdout, `cut at ${bytes}`);
  }
  const views = (await call('events', 'export', ...range, '--name', 'view')).stdout.trimEnd().split('\n');
  t.is(views.at(-1), '{"complete":true,"count":50}');

  t.is((await call('users', 'export', 'u1')).stdout.trimEnd().split('\n').at(-1), '{"complete":true,"count":30}');
  t.regex((await run(['users', 'erase', 'u1'], { env })).stderr, /With --yes/);
  t.like(JSON.parse((await call('users', 'erase', 'u1', '--yes', '--json')).stdout), { state: 'queued' });
  t.is((await run(['events', 'export', '--from', 'monday', '--to', '2026-01-02'], { env })).code, 64);
  const refused = await run(['events', 'export', '--from', '2026-01-01', '--to', '2026-09-01'], { env });
  t.regex(refused.stderr, /at most 92 days/);
});

test('a server that lacks an endpoint is told from one that lacks a resource', async t => {
  await using old = await startTarget(({ url }, response) => {
    const isDocument = url === '/v0/openapi.json';
    response.writeHead(isDocument ? 200 : 404, { 'Content-Type': 'application/json' });
    const document = { info: { version: '0.10.0' }, paths: { '/v0/alerts/{id}': { get: {} } } };
    response.end(JSON.stringify(isDocument ? document : { code: 'not_found', title: 'Not found' }));
  });
  const { run } = commandLine();
  const env = { UPQUORUM_URL: old.url.replace(/\/$/, ''), UPQUORUM_TOKEN: 'x' };
  const missing = await run(['events', 'export', ...range], { env });
  t.is(missing.code, 1);
  t.is(missing.stderr, 'upquorum: the server (0.10.0) has no GET /v0/events/export; it needs 0.11\n');
  t.regex((await run(['alerts', 'get', 'alt_1'], { env })).stderr, /^upquorum: Not found\n/);
});
