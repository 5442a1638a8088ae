import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { budgetKey, type DailyBudget } from '#control-plane/platform/db/daily-budget-store.ts';
import {
  answerBytesMax,
  deleteAnswersBefore,
  fingerprintsPerDay,
} from '#control-plane/platform/http/endpoint/idempotency.ts';
import { dayMs } from '#shared/duration.ts';
import { apiOf, createRegions, createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);

async function openWorld(t: ExecutionContext) {
  const replica = await sharedReplica(databaseOf());
  const { projectId, token } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const region = `r-${projectId.slice(-8)}`;
  await createRegions(databaseOf(), [region]);
  const settings = { name: 'shop', url: 'https://example.com/', interval_seconds: 60, regions: [region] };
  const made = async (path: string, body: object): Promise<string> => {
    const reply = await api('POST', path, body);
    t.is(reply.status, 201, JSON.stringify(reply.body));
    return reply.body.id;
  };
  const stored = () =>
    withSql(databaseOf(), async sql => ({
      answers: await sql.rows<{ bytes: number }>`
        select length(sealed_answer)::int as bytes from idempotency_keys where project_id = ${projectId}`,
      keys: (await sql.rows`select 1 from idempotency_fingerprints where project_id = ${projectId}`).length,
    }));
  /** Leaves so much of a day's budget. */
  const leave = (budget: DailyBudget, used: number) =>
    withSql(
      databaseOf(),
      sql => sql.run`
        insert into ingest_buckets (key, tokens, at)
        values (${budgetKey(budget, projectId, Date.now())}, ${-used}, clock_timestamp())
        on conflict (key) do update set tokens = excluded.tokens`,
    );
  return { replica, projectId, api, region, settings, made, stored, leave };
}

test('a request that changes nothing stores no response for its key, and is computed again', async t => {
  const { api, region, settings, made, stored } = await openWorld(t);
  const monitor = await made('/v0/monitors', settings);
  const page = await made('/v0/status-pages', { name: 'Page', slug: randomUUID() });
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const window = { title: 'x', scope: { monitor_ids: [monitor] }, starts_at: at(60_000), ends_at: at(dayMs) };
  const calls: [string, object][] = [
    [`/v0/status-pages/${page}/preview`, { description: 'x' }],
    ['/v0/maintenances/preview', window],
    ['/v0/routes/match', { labels: {}, kind: 'down', severity: 'p2' }],
    [`/v0/monitors/${monitor}/backtest`, { changes: {} }],
    ['/v0/monitors/test', { url: settings.url, interval_seconds: 60, regions: [region] }],
    ['/v0/monitors?dry_run=true', { ...settings, name: 'other' }],
    ['/v0/monitors/bulk', { ids: [monitor], action: 'pause', dry_run: true }],
  ];
  for (const [path, body] of calls) {
    const key = { 'idempotency-key': randomUUID() };
    for (const turn of ['first', 'again']) {
      const answer = await api('POST', path, body, key);
      t.is(answer.status, 200, `${path} ${turn} ${JSON.stringify(answer.body)}`);
      t.is(answer.headers['idempotency-replayed'], undefined, path);
    }
    const other = await api('POST', path, { ...body, another: true }, key);
    t.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'], path);
  }
  t.deepEqual(await stored(), { answers: [], keys: calls.length });
});

test('a preview with a changed page is shown as it is now, under the same key too', async t => {
  const { api, made } = await openWorld(t);
  const page = await made('/v0/status-pages', { name: 'Before', slug: randomUUID() });
  const key = { 'idempotency-key': randomUUID() };
  const preview = async () => (await api('POST', `/v0/status-pages/${page}/preview`, {}, key)).body.html as string;
  t.true((await preview()).includes('Before'));
  t.is((await api('PATCH', `/v0/status-pages/${page}`, { name: 'After' })).status, 200);
  t.true((await preview()).includes('After'));
});

test('a key of a dry run cannot be used for the act, nor one of the act for a dry run', async t => {
  const { api, settings, made } = await openWorld(t);
  const pairs: [dry: [string, object], act: [string, object], status: number][] = [
    [['/v0/monitors?dry_run=true', settings], ['/v0/monitors', settings], 201],
  ];
  const id = await made('/v0/monitors', { ...settings, name: 'labelled' });
  const bulk = { ids: [id], action: 'add_labels', labels: { env: 'prod' } };
  pairs.push([['/v0/monitors/bulk', { ...bulk, dry_run: true }], ['/v0/monitors/bulk', bulk], 200]);
  for (const [dry, act, status] of pairs) {
    const first = { 'idempotency-key': randomUUID() };
    t.is((await api('POST', ...dry, first)).status, 200);
    const reused = await api('POST', ...act, first);
    t.deepEqual([reused.status, reused.body.code], [422, 'idempotency_key_reused'], act[0]);
    const second = { 'idempotency-key': randomUUID() };
    t.is((await api('POST', ...act, second)).status, status);
    const tried = await api('POST', ...dry, second);
    t.deepEqual([tried.status, tried.body.code], [422, 'idempotency_key_reused'], dry[0]);
  }
  const refused = { 'idempotency-key': randomUUID() };
  t.is((await api('POST', '/v0/monitors?dry_run=true', { ...settings, name: '' }, refused)).status, 422);
  t.is((await api('POST', '/v0/monitors', { ...settings, name: 'corrected' }, refused)).status, 201);
});

test('every POST that writes no entry of the audit changes nothing, except those that act elsewhere', async t => {
  const { replica } = await openWorld(t);
  const posts = replica.endpoints.filter(({ method, audit }) => method === 'post' && audit === undefined);
  t.deepEqual(
    posts
      .filter(endpoint => endpoint.kind === 'raw' || endpoint.changesNothing === undefined)
      .map(({ path }) => path)
      .sort(),
    [
      '/v0/channels/test',
      '/v0/channels/{id}/test',
      '/v0/config/plan',
      '/v0/events',
      '/v0/monitors/{id}/check-now',
      '/v0/status-pages/{id}/domains/{domain_id}/verify',
    ],
  );
});

test('a response without room is not stored, and its repetition says so and does nothing', async t => {
  const { api, settings, stored, leave } = await openWorld(t);
  await leave('answers', 400 * 1024 * 1024);
  const key = { 'idempotency-key': randomUUID() };
  const body = { ...settings, method: 'POST', body: 'x'.repeat(10_000) };
  const first = await api('POST', '/v0/monitors', body, key);
  t.is(first.status, 201);
  const again = await api('POST', '/v0/monitors', body, key);
  t.like(again, { status: 409, body: { code: 'limit_reached', location: first.headers.location } });
  t.is((await api('GET', '/v0/monitors')).body.data.length, 1);
  const { answers } = await stored();
  t.true(answers.every(({ bytes }) => bytes < 500));
  const small = { 'idempotency-key': randomUUID() };
  const pause = () => api('POST', '/v0/tokens', { name: 'small', scopes: ['monitors:read'] }, small);
  t.is((await pause()).body.token, (await pause()).body.token, 'a small one has room');
  await leave('answers', 512 * 1024 * 1024);
  const refused = await api('POST', '/v0/monitors', { ...settings, name: 'b' }, { 'idempotency-key': randomUUID() });
  t.deepEqual([refused.status, refused.body.code], [409, 'limit_reached']);
  t.true(refused.body.retry_after > 0);
  t.is((await api('POST', '/v0/monitors', { ...settings, name: 'b' })).status, 201, 'without a key it is done');
  t.true(answerBytesMax <= 1024 * 1024);
});

test('of requests that change nothing so many keys are remembered in a day, and for one day', async t => {
  const { api, stored, leave, projectId } = await openWorld(t);
  const match = () =>
    api('POST', '/v0/routes/match', { labels: {}, kind: 'down', severity: 'p2' }, { 'idempotency-key': randomUUID() });
  await leave('fingerprints', fingerprintsPerDay - 2);
  for (let turn = 0; turn < 4; turn++) t.is((await match()).status, 200);
  t.is((await stored()).keys, 2);
  await withSql(databaseOf(), async sql => {
    await sql.run`
      update idempotency_fingerprints
      set created_at = created_at - interval '25 hours'
      where project_id = ${projectId}`;
    await deleteAnswersBefore(sql, Date.now());
  });
  t.is((await stored()).keys, 0);
});
