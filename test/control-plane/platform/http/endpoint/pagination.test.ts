import { createHash, randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { insertToken } from '#control-plane/platform/projects/store.ts';
import { newId } from '#shared/ids.ts';
import { type Api, apiOf, createRegions, createTenant, type Reply, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { faultsOf } from '#test/support/problem.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const hourMs = 3_600_000;
const baseMs = Math.floor(Date.now() / hourMs) * hourMs;
const range = `from=${new Date(baseMs).toISOString()}&to=${new Date(baseMs + hourMs).toISOString()}`;

type World = { api: Api; projectId: string; monitorId: string; region: string };
/** A list under test: its address, and how a row gets into it. */
type List = { path: string; query: string; insert(sql: Sql, atMs: number): Promise<unknown> };

const lists: Record<string, (world: World) => List> = {
  monitors: world => ({ path: '/v0/monitors', query: '', insert: (sql, atMs) => insertMonitor(sql, world, atMs) }),
  tokens: world => ({ path: '/v0/tokens', query: '', insert: (sql, atMs) => insertAnyToken(sql, world, atMs) }),
  alerts: world => ({ path: '/v0/alerts', query: '', insert: (sql, atMs) => insertAlert(sql, world, atMs) }),
  'alerts of a monitor in a range': world => ({
    path: '/v0/alerts',
    query: `&monitor_id=${world.monitorId}&state=resolved,open&${range}`,
    insert: (sql, atMs) => insertAlert(sql, world, atMs),
  }),
  checks: world => ({
    path: `/v0/monitors/${world.monitorId}/checks`,
    query: '',
    insert: (sql, atMs) => insertCheck(sql, world, atMs),
  }),
};

// Few different instants, so that most rows tie; rows that arrive meanwhile are before, at and after them.
const rowsAndArrivals = {
  rows: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 25 }),
  arrivals: fc.array(fc.nat({ max: 6 }), { maxLength: 12 }),
  limit: fc.integer({ min: 1, max: 7 }),
};

for (const [name, listOf] of Object.entries(lists)) {
  test.serial(`walking ${name} while rows arrive shows each earlier row once, and in order`, async t => {
    const url = await openReplica();
    await withSql(databaseOf(), sql =>
      fc.assert(
        fc.asyncProperty(fc.record(rowsAndArrivals), async ({ rows, arrivals, limit }) => {
          const world = await openWorld(url);
          const list = listOf(world);
          for (const row of rows) await list.insert(sql, baseMs + 1000 + row);
          const start = idsOf(await world.api('GET', `${list.path}?limit=200${list.query}`));
          const coming = [...arrivals];
          const seen = await walk(world.api, list, limit, async () => {
            const next = coming.pop();
            if (next !== undefined) await list.insert(sql, baseMs + 999 + next);
          });
          t.is(new Set(seen).size, seen.length, 'no row twice');
          t.deepEqual(
            seen.filter(id => start.includes(id)),
            start,
            'none left out, none out of order',
          );
        }),
        { numRuns: 8 },
      ),
    );
  });
}

test.serial('a cursor is refused with other filters and by every other list, but may change its limit', async t => {
  const world = await openWorld(await openReplica());
  const other = (await world.api('POST', '/v0/monitors', monitorBody(world.region))).body.id as string;
  await withSql(databaseOf(), async sql => {
    for (let row = 0; row < 3; row++)
      for (const listOf of Object.values(lists)) await listOf(world).insert(sql, baseMs + row);
  });
  const paths = ['/v0/monitors', '/v0/tokens', '/v0/alerts', `/v0/monitors/${world.monitorId}/checks`];
  const filters = ['enabled=true', '', 'state=resolved', 'status=ok', range];
  const cursors = new Map<string, string>();
  for (const path of paths) cursors.set(path, (await world.api('GET', `${path}?limit=1`)).body.pagination.next_cursor);
  for (const [origin, cursor] of cursors) {
    t.is((await world.api('GET', `${origin}?limit=2&cursor=${cursor}`)).status, 200);
    for (const path of [...paths, '/v0/regions', '/v0/agents', `/v0/monitors/${other}/checks`].filter(
      path => path !== origin,
    ))
      assertInvalidCursor(t, await world.api('GET', `${path}?cursor=${cursor}`), `${origin} on ${path}`);
    for (const filter of filters) {
      const answer = await world.api('GET', `${origin}?${filter}&cursor=${cursor}`);
      if (filter === '') t.is(answer.status, 200);
      else if (answer.body.code !== 'invalid_parameter') assertInvalidCursor(t, answer, `${origin} with ${filter}`);
    }
  }
});

test.serial('a cursor that was not issued is 400, however well it is forged', async t => {
  const world = await openWorld(await openReplica());
  const forged = (list: string, ms: unknown, id: unknown) => encode([1, bindingOf(list), ms, id]);
  const garbage = [
    '',
    'x',
    '%00',
    'e30',
    'W10',
    'bnVsbA',
    'a'.repeat(1024),
    '%F0%9F%92%A9',
    encode([1, 'x', 0, 'y']),
    encode([2, bindingOf('tokens'), 0, 'y']),
  ];
  const wrongKeys = [-8.64e15, 8.64e15, 1e300, 1.5, -1, '0', null].map(ms => forged('tokens', ms, 'tok_x'));
  for (const cursor of [
    ...garbage,
    ...wrongKeys,
    forged('tokens', 0, 'a\u0000b'),
    forged('tokens', 0, 'x'.repeat(201)),
    forged('tokens', 0, 1),
  ])
    assertInvalidCursor(t, await world.api('GET', `/v0/tokens?cursor=${cursor}`), cursor);
  const long = await world.api('GET', `/v0/tokens?cursor=${'a'.repeat(1025)}`);
  t.is(long.status, 400);
});

// The cursor's last part reaches a smallint unchecked: control-plane/monitoring/checks/storage/store.ts, listResults.
test.serial('a forged cursor of the check results is 400', async t => {
  const world = await openWorld(await openReplica());
  for (const id of ['a/b/99999', 'a/b/1.5']) {
    const cursor = encode([1, bindingOf(`checks of ${world.monitorId}`), baseMs, id]);
    assertInvalidCursor(t, await world.api('GET', `/v0/monitors/${world.monitorId}/checks?cursor=${cursor}`), id);
  }
});

test.serial('limit is 50 unless given, 1 to 200, clamped above; anything else is 400', async t => {
  const world = await openWorld(await openReplica());
  await withSql(databaseOf(), async sql => {
    for (let row = 0; row < 205; row++) await insertAnyToken(sql, world, baseMs + row);
  });
  const size = async (query: string) => (await world.api('GET', `/v0/tokens${query}`)).body.data.length;
  t.is(await size(''), 50);
  for (const [given, shown] of [
    ['1', 1],
    ['2', 2],
    ['199', 199],
    ['200', 200],
    ['201', 200],
    ['99999999999999999999', 200],
  ] as const)
    t.is(await size(`?limit=${given}`), shown, given);
  for (const given of ['0', '-1', '', ' 1', '1.5', '1e2', '%2B1', '0x10', 'all', 'NaN', '١']) {
    const answer = await world.api('GET', `/v0/tokens?limit=${given}`);
    t.is(answer.status, 400, given);
    t.is(answer.body.code, 'invalid_parameter', given);
    t.true(faultsOf(answer)[0]?.startsWith('limit '), given);
  }
  t.is((await world.api('GET', '/v0/tokens?limit=1&limit=2')).status, 400);
});

test.serial('every list has the same envelope, and refuses unknown parameters', async t => {
  const world = await openWorld(await openReplica());
  for (const path of [
    '/v0/monitors',
    '/v0/tokens',
    '/v0/alerts',
    '/v0/regions',
    '/v0/agents',
    `/v0/monitors/${world.monitorId}/checks`,
  ]) {
    const answer = await world.api('GET', path);
    t.deepEqual(Object.keys(answer.body).sort(), ['data', 'pagination'], path);
    t.deepEqual(answer.body.pagination, { has_more: false, next_cursor: null }, path);
    const unknown = await world.api('GET', `${path}?limits=1`);
    t.is(unknown.status, 400, path);
    t.deepEqual(faultsOf(unknown), ['limits not_allowed'], path);
  }
});

test.serial('from is inclusive, to exclusive, and from after to is 400', async t => {
  const world = await openWorld(await openReplica());
  await withSql(databaseOf(), async sql => {
    for (const ms of [0, 1, 2]) {
      await insertAlert(sql, world, baseMs + ms);
      await insertCheck(sql, world, baseMs + ms);
    }
  });
  const at = (ms: number) => new Date(baseMs + ms).toISOString();
  for (const path of ['/v0/alerts', `/v0/monitors/${world.monitorId}/checks`]) {
    const count = async (query: string) => (await world.api('GET', `${path}?${query}`)).body.data.length;
    t.is(await count(`from=${at(1)}`), 2);
    t.is(await count(`to=${at(1)}`), 1);
    t.is(await count(`from=${at(0)}&to=${at(2)}`), 2);
    t.is(await count(`from=${at(1)}&to=${at(1)}`), 0);
    t.is(await count(`from=${at(1).replace('Z', '9Z')}&to=${at(2)}`), 1, 'cut to milliseconds');
    t.is(await count(`from=${at(0).replace('Z', '%2B01:00')}`), 3, 'with an offset');
    const turned = await world.api('GET', `${path}?from=${at(2)}&to=${at(1)}`);
    t.is(turned.status, 400);
    t.is(turned.body.code, 'invalid_parameter');
    for (const bad of [
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-02-30T00:00:00Z',
      '2026-01-01 00:00:00Z',
      '1767225600',
      '',
    ])
      t.deepEqual(faultsOf(await world.api('GET', `${path}?from=${bad}`)), ['from format'], bad);
    const late = await world.api('GET', `${path}?from=9999-12-31T23:59:59-05:00`);
    t.deepEqual(faultsOf(late), ['from out_of_range']);
  }
});

async function openReplica(): Promise<string> {
  const replica = await sharedReplica(databaseOf());
  return replica.url;
}

async function openWorld(url: string): Promise<World> {
  const { projectId, token } = await createTenant(databaseOf());
  const api = apiOf(url, token);
  const region = `page-${projectId.slice(-10)}`;
  await createRegions(databaseOf(), [region], projectId);
  const made = await api('POST', '/v0/monitors', monitorBody(region));
  return { api, projectId, monitorId: made.body.id, region };
}

/** Follows the cursors to the end; `between` runs after each page. */
async function walk(api: Api, list: List, limit: number, between: () => Promise<void>): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const reply: Reply = await api('GET', `${list.path}?limit=${limit}${list.query}${at}`);
    const { has_more, next_cursor } = reply.body.pagination;
    if (has_more !== (next_cursor !== null) || reply.body.data.length > limit) throw new Error('the page is wrong');
    seen.push(...idsOf(reply));
    cursor = next_cursor as string | null;
    await between();
  }
  return seen;
}

function idsOf(reply: Reply): string[] {
  return reply.body.data.map((item: { id: string }) => item.id);
}

function monitorBody(region: string): Record<string, unknown> {
  return { name: 'm', url: 'https://example.com', interval_seconds: 60, regions: [region] };
}

async function insertMonitor(sql: Sql, { api, region }: World, atMs: number): Promise<void> {
  const made = await api('POST', '/v0/monitors', monitorBody(region));
  await sql.run`update monitors set created_at = ${new Date(atMs).toISOString()} where id = ${made.body.id}`;
}

function insertAnyToken(sql: Sql, { projectId }: World, atMs: number): Promise<unknown> {
  const token = { projectId, name: 't', scopes: ['*'], hash: randomBytes(32), expiresAt: null, createdBy: null };
  return insertToken(sql, token, atMs);
}

function insertAlert(sql: Sql, { projectId, monitorId }: World, atMs: number): Promise<unknown> {
  return sql.run`
    insert into alerts (
      id, project_id, monitor_id, title, severity, state, regions_failing, regions, quorum, reason,
      started_at, last_seen_at, created_at
    )
    select
      ${newId('alt')}, ${projectId}, ${monitorId}, 't', 'p2', 'resolved', '{}', '{}', 1, ${JSON.stringify(reason)},
      at, at, at
    from (select ${new Date(atMs).toISOString()}::timestamptz as at) as input`;
}

const reason = { summary: 'x', region: null, expected: null, actual: null, status_code: null, error_code: null };

const tieBreaks = (function* counting(): Generator<number, never> {
  for (let number = 0; ; number++) yield number;
})();

const detail = {
  timings: null,
  error: null,
  assertions: [],
  remote_ip: null,
  bytes: 0,
  truncated: false,
  tls: null,
};

/** Ties in time differ in region, kind or attempt. */
function insertCheck(sql: Sql, { monitorId }: World, atMs: number): Promise<unknown> {
  const number = tieBreaks.next().value;
  const kind = number % 2 === 0 ? 'confirm' : 'scheduled';
  const attempt = Math.floor(number / 10) % 1000;
  return sql.run`
    insert into check_results (
      monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version,
      started_at, completed_at, received_at, detail
    )
    select
      ${monitorId}, at, ${`r${number % 5}`}, ${kind}, ${attempt}, 'ok', 'agt_x', 1,
      at, at, at, ${JSON.stringify(detail)}
    from (select ${new Date(atMs).toISOString()}::timestamptz as at) as input`;
}

function assertInvalidCursor(t: ExecutionContext, answer: Reply, what: string): void {
  t.is(answer.status, 400, what);
  t.is(answer.body.code, 'invalid_cursor', what);
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** As the product binds a cursor to a list without filters: it is no secret. */
function bindingOf(list: string): string {
  return createHash('sha256')
    .update(JSON.stringify([list, []]))
    .digest('base64url')
    .slice(0, 12);
}
