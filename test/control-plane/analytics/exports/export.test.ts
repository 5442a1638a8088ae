import test from 'ava';
import fc from 'fast-check';
import { csv, ndjson } from '#control-plane/analytics/exports/lines.ts';
import { inPlace, takeExportPlace } from '#control-plane/analytics/exports/place.ts';
import { readRange, writeEvents } from '#control-plane/analytics/exports/stream.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { toTimestamp } from '#shared/clock.ts';
import { createTenant, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';
import { putEvents } from '#test/support/funnel.ts';
import { faultsOf } from '#test/support/problem.ts';
import { openTrendWorld } from '#test/support/trend-world.ts';

const databaseOf = useDatabase(test);
const startMs = Date.UTC(2026, 9, 1);

type Line = { id: string; timestamp: string; external_user_id: string | null };

test('an export has each event of the range once, in order, wherever it was cut and resumed', async t => {
  const world = await openTrendWorld(t);
  const sent = fc.record({
    name: fc.constantFrom('buy', 'view'),
    user: fc.constantFrom('a', 'b', null),
    // Few instants, so that many events share one.
    atMs: fc.integer({ min: 0, max: 9 }).map(step => startMs + step * 1000),
  });
  const [events = []] = fc.sample(fc.array(sent, { minLength: 60, maxLength: 60 }), 1);
  for (let first = 0; first < 60; first += 20)
    await world.store(events.slice(first, first + 20), startMs + first * 1e7);
  const range = {
    projectId: world.projectId,
    arrivedMs: startMs - 1,
    fromMs: startMs + 1000,
    toMs: startMs + 9000,
    types: ['track' as const],
    name: null,
  };
  const read = async (after: { timestamp: number; id: string } | null, keysMax: number, name: string | null = null) => {
    const rows = [];
    const transact = <Result>(work: Parameters<typeof transaction<Result>>[1]) =>
      transaction(world.pools.background, work);
    for await (const portion of readRange(transact, { ...range, name }, after, keysMax)) rows.push(...portion);
    return rows;
  };
  const inRange = events.filter(event => event.atMs >= range.fromMs && event.atMs < range.toMs);
  const all = await read(null, 1000);
  t.is(all.length, inRange.length);
  const keys = all.map(row => `${row.timestamp} ${row.id}`);
  t.deepEqual(keys, [...new Set(keys)].sort());
  for (const keysMax of [1, 7]) t.deepEqual(await read(null, keysMax), all);
  for (const cut of [0, 5, all.length - 1]) t.deepEqual(await read(all[cut] ?? null, 7), all.slice(cut + 1));
  t.is((await read(null, 7, 'buy')).length, inRange.filter(event => event.name === 'buy').length);
});

test('what is exported is written line by line, and its end is said', async t => {
  const row = {
    id: 'evt_1',
    name: 'a "b", c',
    type: 'track' as const,
    timestamp: startMs,
    ingested_at: startMs + 1,
    external_user_id: '=1+1',
    session_id: null,
    props: { note: 'two\nlines', n: 1 },
  };
  async function* portions() {
    yield [row];
    yield [];
  }
  t.is(
    (await Array.fromAsync(writeEvents(csv, portions()))).join(''),
    'id,name,type,timestamp,ingested_at,external_user_id,session_id,props\r\n' +
      'evt_1,"a ""b"", c",track,2026-10-01T00:00:00.000Z,2026-10-01T00:00:00.001Z,=1+1,,' +
      '"{""note"":""two\\nlines"",""n"":1}"\r\n',
  );
  const lines = (await Array.fromAsync(writeEvents(ndjson, portions()))).join('').trim().split('\n');
  t.deepEqual(
    lines.map(line => JSON.parse(line)),
    [
      { ...row, timestamp: '2026-10-01T00:00:00.000Z', ingested_at: '2026-10-01T00:00:00.001Z' },
      { complete: true, count: 1 },
    ],
  );
});

test('events and a user are exported over HTTP, by those who may, one export of events at a time', async t => {
  const { api, send, token, replica } = await openEventWorld(t, databaseOf());
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  await send([
    { name: 'late', external_user_id: 'a/b', timestamp: at(5), props: { n: 1 } },
    { name: 'early', external_user_id: 'a/b', session_id: 's', timestamp: at(50) },
    { name: 'other', external_user_id: 'c', timestamp: at(20) },
    { name: 'wrong', type: 'error', timestamp: at(10) },
    { name: 'old', external_user_id: 'c', timestamp: at(2000) },
  ]);
  const get = (path: string, headers = {}, bearer = token) =>
    fetch(`${replica.url}${path}`, { headers: { authorization: `Bearer ${bearer}`, ...headers } });
  const linesOf = async (response: Response): Promise<Line[]> =>
    (await response.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
  const range = `from=${at(60)}&to=${at(-1)}`;
  const whole = await get(`/v0/events/export?${range}`);
  t.is(whole.headers.get('content-type'), 'application/x-ndjson');
  const lines = await linesOf(whole);
  t.deepEqual(
    lines.map(line => ('name' in line ? line.name : line)),
    ['early', 'other', 'wrong', 'late', { complete: true, count: 4 }],
  );
  const rest = await linesOf(await get(`/v0/events/export?${range}&types=track&after=${lines[1]?.id}`));
  t.deepEqual(rest, [lines[3], { complete: true, count: 1 }] as unknown[]);
  const table = await get(`/v0/events/export?${range}&name=other`, { accept: 'text/csv' });
  t.is(table.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is((await table.text()).split('\r\n').length, 3);

  const user = await linesOf(await get('/v0/users/a%2Fb/export'));
  t.deepEqual(user, [lines[0], lines[3], { complete: true, count: 2 }] as unknown[]);
  t.deepEqual(await linesOf(await get('/v0/users/nobody/export')), [{ complete: true, count: 0 }] as unknown[]);

  const refused = async (query: string) => faultsOf(await api('GET', `/v0/events/export?${query}`));
  t.deepEqual(await refused(''), ['from required', 'to required']);
  t.deepEqual(await refused('from=2026-01-01T00:00:00Z&to=2026-05-01T00:00:00Z'), ['from out_of_range']);
  t.deepEqual(await refused(`${range}&after=evt_1`), ['after format']);
  t.deepEqual(await refused(`${range}&after=evt_${'0'.repeat(26)}`), ['after unknown_reference']);

  const { token: sender } = await createTenant(databaseOf(), ['events:write', 'users:write']);
  for (const path of [`/v0/events/export?${range}`, '/v0/users/c/export'])
    t.is((await get(path, {}, sender)).status, 403, path);
  const { token: stranger } = await createTenant(databaseOf());
  t.deepEqual(await linesOf(await get(`/v0/events/export?${range}`, {}, stranger)), [
    { complete: true, count: 0 },
  ] as unknown[]);
});

test('an export that its client cuts off 20 times and continues has each event once', async t => {
  const { replica, projectId, token } = await openEventWorld(t, databaseOf());
  const count = 4200;
  const nowMs = Date.now();
  const events = Array.from({ length: count }, (_, n) => {
    return { name: `event ${n}`, user: 'a', atMs: nowMs - 60_000 - (n % 50), props: { text: 'x'.repeat(1000) } };
  });
  await putEvents(databaseOf(), projectId, events, nowMs);
  const headers = { authorization: `Bearer ${token}` };
  const range = `from=${toTimestamp(nowMs - 120_000)}&to=${toTimestamp(nowMs)}`;
  const read: { id: string; name: string }[] = [];
  /** Reads a number of lines, then goes away in the middle of one. */
  const readSome = async (lines: number) => {
    const after = read.length === 0 ? '' : `&after=${read.at(-1)?.id}`;
    const cut = new AbortController();
    const open = () => fetch(`${replica.url}/v0/events/export?${range}${after}`, { headers, signal: cut.signal });
    const { body } = await until(open, ({ status }) => status === 200);
    let rest = '';
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const whole = (rest + chunk).split('\n');
      rest = whole.pop() ?? '';
      for (const line of whole.slice(0, lines - read.length)) read.push(JSON.parse(line));
      if (read.length === lines) break;
    }
    cut.abort();
  };
  for (let cut = 1; cut <= 20; cut++) await readSome(cut * 200);
  await readSome(Number.POSITIVE_INFINITY);
  t.deepEqual(read.pop(), { complete: true, count: 200 } as never);
  t.is(read.length, count);
  t.is(new Set(read.map(({ name }) => name)).size, count);
});

test('a second export of a project waits until the first has ended, or was not read for long', async t => {
  const { api, projectId, replica } = await openEventWorld(t, databaseOf());
  const sql = sqlOf(replica.pools.background);
  const open = async () =>
    (await api('GET', '/v0/events/export?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z')).status;
  async function* portions() {
    yield 1;
    yield 2;
  }
  const first = inPlace(await takeExportPlace(sql, projectId), portions());
  await first.next();
  t.is(await open(), 429);
  await first.return(undefined);
  t.is(await open(), 200);

  const unread = inPlace(await takeExportPlace(sql, projectId), portions());
  await unread.next();
  await sql.run`update leases set expires_at = now() where name like '%' || ${projectId}`;
  const second = await takeExportPlace(sql, projectId);
  await t.throwsAsync(unread.next(), { message: /another export/ });
  t.is(await open(), 429);
  await second.giveBack();
});
