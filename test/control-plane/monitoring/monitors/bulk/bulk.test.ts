import { randomUUID } from 'node:crypto';
import test from 'ava';
import { deleteRunsBefore, takeRun } from '#control-plane/monitoring/monitors/bulk/store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { idempotentRequest } from '#control-plane/platform/http/endpoint/idempotency.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { errorCode } from '#shared/error-code.ts';
import {
  apiOf,
  patiently,
  type Reply,
  startReplica,
  testSecretKey,
  until,
  withSql,
} from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type MonitorWorld, openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);
const path = '/v0/monitors/bulk';

type Item = { id: string; name: string | null; outcome: string; problem?: Record<string, unknown> };

async function createMany(world: MonitorWorld, count: number, fields: Record<string, unknown> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++)
    ids.push((await world.post({ name: `m${index}`, labels: { env: 'prod' }, ...fields })).body.id);
  return ids.sort();
}

/** On a busy machine a large call may take longer than the server keeps a silent connection: its repetition goes on. */
function atLast({ api }: MonitorWorld, body: object): Promise<Reply> {
  const key = randomUUID();
  const send = () => api('POST', path, body, { 'idempotency-key': key });
  return until(
    () => send().catch(error => (errorCode(error) === 'ECONNRESET' ? null : Promise.reject(error))),
    answer => answer?.status === 200,
  ).then(answer => answer as Reply);
}

const outcomes = (items: Item[]) => items.map(item => item.outcome);

test.serial('a bulk call changes what matches, and says what became of each monitor', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { api, post } = world;
  const ids = await createMany(world, 3);
  const other = (await post({ name: 'other', labels: {} })).body;
  const call = (body: object) => api('POST', path, { selector: 'env=prod', expected_count: 3, ...body });
  const labelled = await call({ action: 'add_labels', labels: { team: 'web' } });
  t.is(labelled.status, 200);
  t.like(labelled.body, { matched: 3, changed: 3, unchanged: 0, failed: 0, dry_run: false });
  t.deepEqual(
    labelled.body.items.map((item: Item) => item.id),
    ids,
    'in the order of IDs',
  );
  t.deepEqual(labelled.body.items[0], { id: ids[0], name: 'm0', outcome: 'changed' });
  t.like((await call({ action: 'add_labels', labels: { team: 'web' } })).body, { changed: 0, unchanged: 3 });
  t.like((await call({ action: 'pause' })).body, { changed: 3 });
  t.like((await api('GET', `/v0/monitors/${ids[0]}`)).body, { status: 'paused', labels: { env: 'prod', team: 'web' } });
  t.like((await call({ action: 'resume' })).body, { changed: 3 });
  t.like((await call({ action: 'patch', patch: { interval_seconds: 30 } })).body, { changed: 3 });
  t.like((await call({ action: 'remove_labels', labels: ['team', 'none'] })).body, { changed: 3 });
  t.like((await api('GET', `/v0/monitors/${ids[2]}`)).body, { interval_seconds: 30, labels: { env: 'prod' } });
  t.like((await call({ action: 'delete' })).body, { changed: 3 });
  t.deepEqual((await api('GET', '/v0/monitors')).body.data, [other]);
});

test.serial('of 300 monitors one is invalid: 299 change, and one says why it does not', async t => {
  const world = await openMonitorWorld(t, databaseOf(), 1);
  await world.post({ name: 'slow', labels: { env: 'prod' }, timeout_ms: 60_000 });
  for (let made = 1; made < 300; made += 13)
    await Promise.all(
      Array.from({ length: 13 }, (_, index) =>
        patiently(() => world.post({ name: `m${made + index}`, labels: { env: 'prod' } })),
      ),
    );
  const patch = { interval_seconds: 30, labels: { env: 'test' } };
  const body = { selector: 'env=prod', action: 'patch', patch };
  const preview = await atLast(world, { ...body, dry_run: true });
  t.like(preview.body, { matched: 300, changed: 299, failed: 1 });
  const { body: done } = await atLast(world, { ...body, expected_count: 300 });
  t.like(done, { matched: 300, changed: 299, unchanged: 0, failed: 1 });
  const failed: Item[] = done.items.filter((item: Item) => item.outcome === 'failed');
  t.deepEqual(
    failed.map(item => [item.name, item.problem?.code]),
    [['slow', 'validation_failed']],
  );
  const withoutRequest = (items: Item[]) =>
    items.map(({ problem, ...item }) => ({ ...item, problem: problem && { ...problem, request_id: '' } }));
  t.deepEqual(withoutRequest(preview.body.items), withoutRequest(done.items));
  const left = await world.api('GET', '/v0/monitors?selector=env=prod');
  t.deepEqual(
    left.body.data.map((monitor: { name: string }) => monitor.name),
    ['slow'],
  );
});

test.serial('a dry run has the shape of the act and writes nothing', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { api } = world;
  const ids = await createMany(world, 2);
  const before = (await api('GET', '/v0/monitors')).body;
  for (const [action, fields] of [
    ['pause', {}],
    ['delete', {}],
    ['add_labels', { labels: { x: '1' } }],
    ['patch', { patch: { quorum: 1 } }],
  ] as const) {
    const { status, body } = await api('POST', path, { selector: '*', action, ...fields, dry_run: true });
    t.is(status, 200);
    t.like(body, { matched: 2, changed: 2, dry_run: true }, action);
    t.deepEqual(
      body.items.map((item: Item) => item.id),
      ids,
    );
    t.deepEqual((await api('GET', '/v0/monitors')).body, before, action);
  }
  t.like((await api('POST', path, { selector: '*', action: 'resume', dry_run: true })).body, { unchanged: 2 });
  t.deepEqual(
    (await api('GET', '/v0/audit')).body.data.filter((entry: { via: string }) => entry.via === 'bulk'),
    [],
  );
});

test.serial('one failure stops no other, and says what the single call would answer', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { api, post } = world;
  const [fine = ''] = await createMany(world, 1);
  const slow = (await post({ name: 'slow', timeout_ms: 40_000 })).body.id;
  const foreign = (await (await openMonitorWorld(t, databaseOf())).post()).body.id;
  const ids = [slow, 'mon_none', foreign, fine];
  const { body } = await api('POST', path, { ids, action: 'patch', patch: { interval_seconds: 30 } });
  t.like(body, { matched: 4, changed: 1, failed: 3 });
  const byId = new Map<string, Item>(body.items.map((item: Item) => [item.id, item]));
  t.like(byId.get(fine), { outcome: 'changed', name: 'm0' });
  const single = (await api('PATCH', `/v0/monitors/${slow}`, { interval_seconds: 30 })).body;
  t.deepEqual({ ...byId.get(slow)?.problem, request_id: '' }, { ...single, request_id: '' });
  for (const id of ['mon_none', foreign])
    t.like(byId.get(id), { name: null, problem: { code: 'not_found', status: 404 } });
  const full = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`a${index}`, '']));
  const labelled = await api('POST', path, { ids: [fine], action: 'add_labels', labels: full });
  t.deepEqual(labelled.body.items[0].problem.errors[0].pointer, '/labels');
});

test.serial('the act needs the count that matches now', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { api, post } = world;
  await createMany(world, 2);
  const body = { selector: 'env', action: 'pause' };
  t.deepEqual(faultsOf(await api('POST', path, body)), ['/expected_count required']);
  const refused = await api('POST', path, { ...body, expected_count: 1 });
  t.deepEqual([refused.status, refused.body.code, refused.body.matched], [409, 'count_changed', 2]);
  await post({ name: 'third', labels: { env: 'x' } });
  t.is((await api('POST', path, { ...body, expected_count: 2 })).body.matched, 3);
  t.is((await api('POST', path, { ...body, expected_count: 3 })).body.changed, 3);
  t.like((await api('POST', path, { selector: 'none', expected_count: 0, action: 'delete' })).body, {
    matched: 0,
    items: [],
  });
});

const wrong: [body: object, faults: string[]][] = [
  [{ action: 'pause' }, [' required']],
  [{ action: 'pause', selector: '*', ids: ['mon_1'], expected_count: 1 }, [' required']],
  [{ ids: ['mon_1'] }, ['/action required']],
  [{ ids: [], action: 'pause' }, ['/ids too_short']],
  [{ ids: ['a', 'a'], action: 'pause' }, ['/ids/1 not_allowed']],
  [{ ids: Array.from({ length: 501 }, (_, index) => `mon_${index}`), action: 'pause' }, ['/ids too_long']],
  [{ selector: 'a=', expected_count: 1, action: 'pause' }, ['/selector format']],
  [{ ids: ['a'], action: 'pause', patch: {} }, ['/patch not_allowed']],
  [{ ids: ['a'], action: 'pause', labels: {} }, ['/labels not_allowed']],
  [{ ids: ['a'], action: 'patch' }, ['/patch required']],
  [{ ids: ['a'], action: 'patch', patch: { name: 'x' } }, ['/patch/name not_allowed']],
  [{ ids: ['a'], action: 'patch', patch: { url: 'http://a.example' } }, ['/patch/url not_allowed']],
  [{ ids: ['a'], action: 'patch', patch: { key: 'x' } }, ['/patch/key read_only']],
  [{ ids: ['a'], action: 'patch', patch: { interval_seconds: 1 } }, ['/patch/interval_seconds out_of_range']],
  [{ ids: ['a'], action: 'add_labels' }, ['/labels required']],
  [{ ids: ['a'], action: 'add_labels', labels: ['a'] }, ['/labels type']],
  [{ ids: ['a'], action: 'add_labels', labels: { A: '' } }, ['/labels/A format']],
  [{ ids: ['a'], action: 'remove_labels', labels: { a: '' } }, ['/labels type']],
  [{ ids: ['a'], action: 'explode' }, ['/action enum']],
];
test.serial('a body that breaks a rule is 422 at once', async t => {
  const { api, apiWith } = await openMonitorWorld(t, databaseOf());
  for (const [body, faults] of wrong) {
    const answer = await api('POST', path, body);
    t.deepEqual([answer.status, faultsOf(answer)], [422, faults], JSON.stringify(body).slice(0, 100));
  }
  const reader = await apiWith(['monitors:read']);
  t.is((await reader('POST', path, { ids: ['a'], action: 'pause', dry_run: true })).status, 403);
});

test.serial('the same key answers again; an interrupted call does the rest, and nothing twice', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { api, token, projectId } = world;
  const ids = await createMany(world, 6);
  const key = randomUUID();
  const body = { selector: 'env=prod', expected_count: 6, action: 'patch', patch: { labels: { env: 'test' } } };
  const send = (as = api, fields: object = body) => as('POST', path, fields, { 'idempotency-key': key });
  // What a process leaves behind that dies after two items: they are done, and no longer match.
  const first = await api('POST', path, { ids: ids.slice(0, 2), action: 'patch', patch: body.patch });
  await withSql(databaseOf(), async sql => {
    const run = { projectId, key, fingerprint: new Uint8Array(32), former: [], runner: 'req_dead' };
    const chosen = ids.map((id, index) => ({ id, name: `m${index}` }));
    await takeRun(sql, run, chosen, { nowMs: Date.now(), untilMs: Date.now() + 600_000 });
    await sql.run`
      update bulk_runs
      set items = ${JSON.stringify(first.body.items)}
      where project_id = ${projectId}`;
  });
  t.is((await send()).body.code, 'idempotency_key_reused', 'another request has the key');
  const fingerprint = fingerprintOf(body);
  await withSql(databaseOf(), sql => sql.run`update bulk_runs set fingerprint = ${fingerprint} where key = ${key}`);
  const early = await send();
  t.deepEqual([early.status, early.body.code], [409, 'idempotency_in_progress'], 'its process may still live');
  await withSql(databaseOf(), sql => sql.run`update bulk_runs set running_until = now() where key = ${key}`);
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const finished = await send(apiOf(replica.url, token));
  t.like(finished.body, { matched: 6, changed: 6, failed: 0 });
  const again = await send();
  t.is(again.headers['idempotency-replayed'], 'true');
  t.deepEqual(again.body, finished.body);
  t.is((await send(api, { ...body, expected_count: 5 })).body.code, 'idempotency_key_reused');
  const runs = await withSql(databaseOf(), sql => sql.rows`select from bulk_runs where project_id = ${projectId}`);
  t.is(runs.length, 0);
  t.is((await api('GET', '/v0/monitors?selector=env=test')).body.data.length, 6);
});

test.serial('of calls with one key at once one runs, and a killed one leaves no item half done', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const ids = await createMany(world, 8);
  const key = randomUUID();
  const send = () =>
    world.api('POST', path, { ids, action: 'add_labels', labels: { x: '1' } }, { 'idempotency-key': key });
  const answers = await Promise.all([send(), send(), send()]);
  const ran = answers.filter(answer => answer.status === 200 && answer.headers['idempotency-replayed'] === undefined);
  t.is(ran.length, 1);
  for (const { status, body } of answers) t.true(status === 200 || body.code === 'idempotency_in_progress');
  t.deepEqual(
    outcomes((await until(send, answer => answer.status === 200)).body.items),
    ids.map(() => 'changed'),
  );
  const { data } = (await world.api('GET', '/v0/audit?limit=200')).body;
  t.is(data.filter((entry: { via: string }) => entry.via === 'bulk').length, 8, 'each change is recorded once');
});

/** Both stop a repetition after it has found no response: as it reads what is done, and as it begins. */
const locks = [
  ['reads', (sql: Sql) => sql.run`lock table bulk_runs in access exclusive mode`],
  ['writes', (sql: Sql) => sql.run`lock table bulk_runs in exclusive mode`],
] as const;
for (const [step, lock] of locks)
  test.serial(
    `a call that ends before its repetition ${step} what is done runs once; both answer the same`,
    async t => {
      const world = await openMonitorWorld(t, databaseOf());
      const ids = await createMany(world, 2);
      const key = randomUUID();
      const body = { selector: 'env=prod', expected_count: 2, action: 'patch', patch: { labels: { env: 'test' } } };
      const send = () => world.api('POST', path, body, { 'idempotency-key': key });
      const first = await send();
      for (const id of ids) await world.api('PATCH', `/v0/monitors/${id}`, { labels: { env: 'prod' } });
      const shift = (sql: Sql, days: number) =>
        sql.run`update idempotency_keys set created_at = created_at + ${days} * interval '1 day' where key = ${key}`;
      // As if the first call had not ended: an old response counts no more. It ends while the repetition waits.
      const other = await startReplica(databaseOf());
      t.teardown(() => other.stop());
      const repeat = async () => {
        await withSql(databaseOf(), sql => shift(sql, -2));
        const { repetition } = await transaction(other.pools.background, async sql => {
          await lock(sql);
          let isOver = false;
          const repetition = send().finally(() => {
            isOver = true;
          });
          await until(async () => {
            const waiting = await sql.rows`
            select 1
            from pg_locks
            where relation = 'bulk_runs'::regclass and not granted`;
            return waiting.length > 0 || isOver;
          }, true);
          await shift(sql, 2);
          return { repetition };
        });
        return repetition;
      };
      // It waits a second for the lock, in which a busy machine may not have come to see it.
      const repeated = await patiently(repeat);
      t.is(repeated.headers['idempotency-replayed'], 'true');
      t.deepEqual(repeated.body, first.body);
      t.is((await world.api('GET', '/v0/monitors?selector=env=prod')).body.data.length, 2, 'nothing is done twice');
      t.deepEqual(await withSql(databaseOf(), sql => sql.rows`select 1 from bulk_runs where key = ${key}`), []);
    },
  );

test.serial('a call costs as much as a tenth of a request for each item', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const ids = await createMany(world, 20);
  const slow = await startReplica(databaseOf(), { rateLimitPerMinute: 1, rateLimitBurst: 7 });
  t.teardown(() => slow.stop());
  const { token } = (await world.api('POST', '/v0/tokens', { name: 'a', scopes: ['monitors:write'] })).body;
  const api = apiOf(slow.url, token);
  const call = () => api('POST', path, { ids, action: 'pause', dry_run: true });
  t.deepEqual([(await call()).status, (await call()).status], [200, 200]);
  const refused = await call();
  t.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
  t.is((await api('POST', path, { ids: ids.slice(0, 1), action: 'pause', dry_run: true })).status, 429);
});

test.serial('calls that nobody repeated are deleted after a day', async t => {
  const { projectId } = await openMonitorWorld(t, databaseOf());
  const run = { projectId, key: randomUUID(), fingerprint: new Uint8Array(32), former: [], runner: 'req_1' };
  await withSql(databaseOf(), async sql => {
    await takeRun(sql, run, [], { nowMs: 1000, untilMs: 2000 });
    await deleteRunsBefore(sql, 1000);
    t.is((await sql.rows`select from bulk_runs where project_id = ${projectId}`).length, 1);
    await deleteRunsBefore(sql, 1001);
    t.is((await sql.rows`select from bulk_runs where project_id = ${projectId}`).length, 0);
  });
});

function fingerprintOf(body: object): Uint8Array {
  const keyring = createKeyring([testSecretKey]);
  const request = idempotentRequest(keyring, randomUUID(), 'post', path, Buffer.from(JSON.stringify(body)));
  if (request === null) throw new Error('there is a key');
  return request.fingerprint;
}
