import test from 'ava';
import fc from 'fast-check';
import { runErasures } from '#control-plane/analytics/erasures/erase.ts';
import { eraseUser } from '#control-plane/analytics/erasures/erase-now.ts';
import { storedWithinMs } from '#control-plane/analytics/erasures/erasure.ts';
import { withoutErased } from '#control-plane/analytics/erasures/late.ts';
import { requestErasure } from '#control-plane/analytics/erasures/request.ts';
import { findErasure } from '#control-plane/analytics/erasures/store.ts';
import { actorOf } from '#control-plane/analytics/events/actor.ts';
import { erasureHooks } from '#control-plane/delivery/erasure-hooks.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { newId } from '#shared/ids.ts';
import { createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';
import { openTrendWorld, type TrendWorld } from '#test/support/trend-world.ts';

const databaseOf = useDatabase(test);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2026, 9, 1);
const hash = async () => 'secret:12345678';
const noHooks = { done: async () => undefined };

async function request(world: TrendWorld, externalId: string, nowMs: number): Promise<string> {
  const user = { projectId: world.projectId, externalId };
  const { erasure } = await transaction(world.pools.background, sql => requestErasure(sql, hash, user, nowMs));
  return erasure.id;
}

const sent = fc.record({
  name: fc.constantFrom('buy', 'view', 'rare'),
  user: fc.constantFrom('gone', 'gone', 'b', 'c', null),
  atMs: fc.integer({ min: startMs, max: startMs + 3 * dayMs }),
  lateMs: fc.integer({ min: 0, max: dayMs }),
  isError: fc.boolean(),
});

/** All that names and trends say. */
async function countedIn({ sql }: TrendWorld): Promise<unknown> {
  return {
    cells: await sql.rows`
      select type, name, span, start, arrived_on, events, cell
      from event_cells
      order by type, name, span, start, arrived_on`,
    names:
      await sql.rows`select type, name, admitted, first_seen_at, last_seen_at from event_names order by type, name`,
    keys: await sql.rows`select dedup_id from event_dedup_keys order by dedup_id`,
  };
}

test('after an erasure everything is as if the user had sent nothing until then', async t => {
  const [stream = []] = fc.sample(fc.array(sent, { minLength: 80, maxLength: 120 }), 1);
  const batches = Map.groupBy(
    stream.map((event, n) => ({
      name: event.name,
      user: event.user,
      atMs: event.atMs,
      arrivedMs: event.atMs + event.lateMs,
      key: `key ${n}`,
      ...(event.isError ? { type: 'error' as const } : {}),
    })),
    event => Math.ceil(event.arrivedMs / (6 * hourMs)) * 6 * hourMs,
  );
  const erasedMs = startMs + 2 * dayMs;
  const endMs = startMs + 6 * dayMs;
  const erased = await openTrendWorld(t);
  const other = await openTrendWorld(t);
  let id = '';
  for (const arrivedMs of [...batches.keys()].sort((left, right) => left - right)) {
    const batch = batches.get(arrivedMs) ?? [];
    if (id === '' && arrivedMs > erasedMs) {
      id = await request(erased, 'gone', erasedMs);
      await runErasures(erased.pools.background, noHooks, erasedMs);
    }
    await erased.store(batch, arrivedMs);
    if (arrivedMs % dayMs === 0) await erased.count(arrivedMs);
    const kept = batch.filter(event => event.user !== 'gone' || arrivedMs > erasedMs);
    if (kept.length > 0) await other.store(kept, arrivedMs);
  }
  await erased.count(endMs);
  while (await runErasures(erased.pools.background, noHooks, endMs));
  await other.count(endMs);
  t.deepEqual(await countedIn(erased), await countedIn(other));
  const early = stream.filter(
    event => event.user === 'gone' && Math.ceil((event.atMs + event.lateMs) / (6 * hourMs)) * 6 * hourMs <= erasedMs,
  );
  t.like(await findErasure(erased.sql, erased.projectId, id), { state: 'done', events: early.length, hours_kept: 0 });
  const left = await erased.sql.rows`select external_user_id, names from event_erasures`;
  t.deepEqual(left, [{ external_user_id: null, names: [] }]);
});

test('an erasure goes in steps, another user keeps everything, and hours of which events are gone stay', async t => {
  const world = await openTrendWorld(t);
  const nowMs = startMs + 95.5 * dayMs;
  const events = Array.from({ length: 5001 }, (_, n) => ({ name: 'a', user: 'gone', atMs: nowMs - dayMs + n }));
  await world.store([...events, { name: 'a', user: 'stays', atMs: nowMs - dayMs }], nowMs - dayMs);
  // An arrival day that is not wholly kept any more.
  await world.store([{ name: 'old', user: 'gone', atMs: nowMs - 90 * dayMs + 1 }], nowMs - 90 * dayMs + 1);
  await world.count(nowMs);
  const id = await request(world, 'gone', nowMs);
  t.is(await request(world, 'gone', nowMs), id);
  const state = async () => (await findErasure(world.sql, world.projectId, id))?.state;
  while (await runErasures(world.pools.background, noHooks, nowMs));
  t.is(await state(), 'running');
  await world.count(nowMs);
  while (await runErasures(world.pools.background, noHooks, nowMs + storedWithinMs - 1));
  t.is(await state(), 'running');
  while (await runErasures(world.pools.background, noHooks, nowMs + storedWithinMs));
  t.like(await findErasure(world.sql, world.projectId, id), { state: 'done', events: 5002, hours_kept: 1 });
  t.deepEqual(await world.sql.rows`select name, external_user_id from events`, [
    { name: 'a', external_user_id: 'stays' },
  ]);
  t.deepEqual(await world.sql.rows`select name, events from event_cells where span = 'hour' order by name`, [
    { name: 'a', events: 1 },
    { name: 'old', events: 1 },
  ]);
});

test('an erasure whose worker dies in the middle goes on elsewhere, and counts each event once', async t => {
  const world = await openTrendWorld(t);
  const nowMs = startMs + 2 * dayMs;
  const events = Array.from({ length: 10_001 }, (_, n) => ({ name: 'a', user: 'gone', atMs: startMs + n * 1000 }));
  await world.store([...events, { name: 'a', user: 'stays', atMs: startMs }], startMs + dayMs);
  await world.count(nowMs);
  const id = await request(world, 'gone', nowMs);
  // Its second step has deleted events when its connection ends, as if the worker had been killed.
  await world.sql.run`create sequence steps`;
  await world.sql.run`
    create function die() returns trigger language plpgsql as
    'begin if nextval(''steps'') = 2 then perform pg_terminate_backend(pg_backend_pid()); end if; return new; end'`;
  await world.sql.run`create trigger die before update on event_erasures for each row execute function die()`;
  const message = /terminating connection/;
  await t.throwsAsync(
    async () => {
      while (await runErasures(world.pools.background, noHooks, nowMs));
    },
    { message },
  );
  t.like(await findErasure(world.sql, world.projectId, id), { state: 'running', events: 5000 });
  t.deepEqual(await world.sql.rows`select count(*) as left from events`, [{ left: 5002 }]);
  const laterMs = nowMs + hourMs;
  while (await runErasures(world.pools.background, noHooks, laterMs));
  await world.count(laterMs);
  while (await runErasures(world.pools.background, noHooks, laterMs));
  t.like(await findErasure(world.sql, world.projectId, id), { state: 'done', events: 10_001, hours_kept: 0 });
  t.deepEqual(await world.sql.rows`select name, external_user_id from events`, [
    { name: 'a', external_user_id: 'stays' },
  ]);
  const cells = await world.sql.rows`select start, events from event_cells where span = 'hour'`;
  t.deepEqual(cells, [{ start: startMs, events: 1 }]);
});

test('erased by hand, an answer counts what a worker had deleted before', async t => {
  const world = await openTrendWorld(t);
  const nowMs = startMs + 2 * dayMs;
  await world.store([{ name: 'a', user: 'gone', atMs: startMs }], startMs + dayMs);
  await world.count(nowMs);
  await request(world, 'gone', nowMs);
  while (await runErasures(world.pools.background, noHooks, nowMs));
  const user = { projectId: world.projectId, externalId: 'gone' };
  t.deepEqual(await eraseUser(world.pools.background, hash, user, nowMs), { events: 1, hours: 1 });
});

test('what lay in the broker when an erasure was requested is not stored, what came later is', async t => {
  const world = await openTrendWorld(t);
  await request(world, 'gone', Date.now());
  const requestedMs = (await world.sql.row<{ at: number }>`select requested_at as at from event_erasures`)?.at ?? 0;
  const { projectId } = world;
  const received = (user: string | null, atMs: number) => ({
    id: `evt_${newId('evt').slice(4)}`.replace(/_.{10}/, `_${timeOf(atMs)}`),
    projectId,
    actor: actorOf(user, 's'),
    externalUserId: user,
  });
  const events = [
    received('gone', requestedMs - 5),
    received('gone', requestedMs + 1),
    received('stays', requestedMs - 5),
    received(null, requestedMs - 5),
  ];
  t.deepEqual(await withoutErased(world.sql, events, event => event), events.slice(1));
});

/** The first ten characters of an id. */
function timeOf(ms: number): string {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  let text = '';
  for (let rest = ms, n = 0; n < 10; n++, rest = Math.floor(rest / 32)) text = digits.charAt(rest % 32) + text;
  return text;
}

test('a user is erased over the API: once at a time, by those who may, without a name that stays', async t => {
  // No worker of its own: all are under way until the test says so.
  const changes = { roles: ['gateway', 'front'] as const };
  const { api, send, replica, projectId } = await openEventWorld(t, databaseOf(), { changes });
  await send([
    { name: 'a', external_user_id: 'secret person' },
    { name: 'a', external_user_id: 'other' },
  ]);
  await api('POST', '/v0/webhooks', { url: 'https://hooks.example.com/', kinds: ['erasure.done'] });
  const first = await api('DELETE', '/v0/users/secret%20person');
  t.is(first.status, 202);
  t.like(first.body, { state: 'queued', events: 0, done_at: null });
  t.regex(first.body.user, /^secret:[0-9a-f]{8}$/);
  const again = await api('DELETE', '/v0/users/secret%20person');
  t.deepEqual([again.status, again.body.id], [202, first.body.id]);
  for (let n = 1; n < 20; n++) t.is((await api('DELETE', `/v0/users/u${n}`)).status, 202);
  const full = await api('DELETE', '/v0/users/u20');
  t.deepEqual([full.status, full.body.code, full.body.used], [409, 'limit_reached', 20]);

  const nowMs = Date.now() + storedWithinMs;
  while (await runErasures(replica.pools.background, erasureHooks, nowMs));
  t.deepEqual((await api('GET', '/v0/users/secret%20person/timeline')).body.data, []);
  t.is((await api('GET', '/v0/users/other/timeline')).body.data.length, 1);
  const read = await api('GET', `/v0/erasures/${first.body.id}`);
  t.like(read.body, { events: 1, hours_recomputed: 1, user: first.body.user });
  const worker = await startReplica(databaseOf(), { roles: ['worker'] });
  t.teardown(() => worker.stop());
  const received = await until(
    async () => {
      await runErasures(replica.pools.background, erasureHooks, nowMs);
      return sqlOf(replica.pools.background).rows<{ payload: { type: string; data: object } }>`
        select payload from deliveries where subject = ${`erasure.done ${first.body.id}`}`;
    },
    rows => rows.length > 0,
  );
  t.like(received, [{ payload: { type: 'erasure.done', data: { id: first.body.id, events: 1 } } }]);
  t.deepEqual(Object.keys(received[0]?.payload.data ?? {}), ['id', 'events'], 'nothing of the user');
  const page = await api('GET', '/v0/erasures?limit=5');
  t.is(page.body.data.length, 5);
  t.true(page.body.pagination.has_more);
  const audit = await api('GET', '/v0/audit?action=event.user_erased');
  t.is(audit.body.data.length, 20);
  t.false(JSON.stringify(audit.body).includes('secret person'));

  const { token } = await createTenant(databaseOf(), ['users:read', 'events:write']);
  const as = (method: string, path: string) =>
    fetch(`${replica.url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
  t.is((await as('DELETE', '/v0/users/other')).status, 403);
  t.is((await as('GET', `/v0/erasures/${first.body.id}`)).status, 404);
  t.is((await api('GET', '/v0/erasures/ers_none')).status, 404);
  t.truthy(projectId);
});
