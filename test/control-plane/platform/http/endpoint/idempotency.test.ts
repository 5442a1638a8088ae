import { createHash, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { idempotentRequest, isOfRequest } from '#control-plane/platform/http/endpoint/idempotency.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import type { Clock } from '#shared/clock.ts';
import { apiOf, createTenant, startReplica, testSecretKey, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { problemFault } from '#test/support/problem.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);
const token = { name: 'made once', scopes: ['monitors:read'] };

async function openWorld(t: ExecutionContext, changes?: Parameters<typeof startReplica>[1], clock?: Clock) {
  const isUsual = changes === undefined && clock === undefined;
  const replica = await (isUsual ? sharedReplica(databaseOf()) : startReplica(databaseOf(), changes, clock));
  if (!isUsual) t.teardown(() => replica.stop());
  const tenant = await createTenant(databaseOf());
  const api = apiOf(replica.url, tenant.token);
  const post = (key: string, body: unknown = token, path = '/v0/tokens') =>
    api('POST', path, body, { 'idempotency-key': key });
  const made = async () => (await api('GET', '/v0/tokens?limit=200')).body.data.length - 1;
  return { ...tenant, replica, api, post, made };
}

test.serial('the same request again gives the same status, body and Location, says so, and is done once', async t => {
  const { post, made } = await openWorld(t);
  const key = randomUUID();
  const first = await post(key);
  t.is(first.status, 201);
  t.is(first.headers['idempotency-replayed'], undefined);
  for (const spelling of [key, key.toUpperCase(), `"${key}"`]) {
    const again = await post(spelling);
    t.deepEqual([again.status, again.body, again.headers.location], [201, first.body, first.headers.location]);
    t.is(again.headers['idempotency-replayed'], 'true');
    t.not(again.headers['x-request-id'], first.headers['x-request-id']);
  }
  t.is(await made(), 1);
});

test.serial('another body, or another path, under a used key is 422 and does nothing', async t => {
  const { post, made } = await openWorld(t);
  const key = randomUUID();
  t.is((await post(key)).status, 201);
  const others: [unknown, string][] = [
    [{ ...token, name: 'other' }, '/v0/tokens'],
    [` ${JSON.stringify(token)}`, '/v0/tokens'],
    [token, `/v0/monitors/mon_${'0'.repeat(26)}/pause`],
  ];
  for (const [body, path] of others) {
    const answer = await post(key, body, path);
    t.is(answer.status, 422);
    t.is(answer.body.code, 'idempotency_key_reused');
  }
  t.is(await made(), 1);
});

test.serial('of many concurrent requests one is executed; the others get its response or a 409', async t => {
  const { post, made } = await openWorld(t);
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 30 }, () => post(key)));
  const done = answers.filter(answer => answer.status === 201);
  t.is(new Set(done.map(answer => answer.body.id)).size, 1);
  t.is(done.filter(answer => answer.headers['idempotency-replayed'] === undefined).length, 1);
  for (const answer of answers.filter(answer => answer.status !== 201)) {
    t.is(answer.status, 409);
    t.is(answer.body.code, 'idempotency_in_progress');
    t.is(answer.headers['retry-after'], '1');
    t.is(answer.body.retry_after, 1);
  }
  t.is(await made(), 1);
  t.is((await post(key)).headers['idempotency-replayed'], 'true');
});

test.serial('while the first request runs, a second one is 409 immediately, on every replica', async t => {
  const { api, post, projectId, token: secret } = await openWorld(t);
  const other = await startReplica(databaseOf());
  t.teardown(() => other.stop());
  const key = randomUUID();
  await withSql(databaseOf(), async sql => {
    await sql.run`select pg_advisory_lock(hashtextextended(${`${projectId} ${key}`}, 0))`;
    for (const call of [api, apiOf(other.url, secret)]) {
      const answer = await call('POST', '/v0/tokens', token, { 'idempotency-key': key });
      t.is(answer.status, 409);
      t.is(answer.headers['retry-after'], '1');
    }
  });
  // The lock goes with its connection, which the server notices a little later.
  const answer = await until(
    () => post(key),
    ({ status }) => status !== 409,
  );
  t.is(answer.status, 201);
});

test.serial('a key that is no UUID is 400, and none is needed', async t => {
  const { api, post, made } = await openWorld(t);
  const uuid = randomUUID();
  const bad = [
    '',
    'x',
    `${uuid}0`,
    uuid.slice(1),
    uuid.replaceAll('-', ''),
    `"${uuid}`,
    `${uuid}"`,
    `'${uuid}'`,
    `${uuid}, ${uuid}`,
    `{${uuid}}`,
  ];
  for (const key of bad) {
    const answer = await post(key);
    t.is(answer.status, 400, key);
    t.is(answer.body.code, 'invalid_idempotency_key', key);
    t.is(problemFault(400, String(answer.headers['content-type']), JSON.stringify(answer.body)), null);
  }
  t.is(await made(), 0);
  t.is((await api('POST', '/v0/tokens', token)).status, 201);
  t.is((await api('POST', '/v0/tokens', token)).status, 201);
  t.is(await made(), 2);
});

test.serial('only successes are stored: after a refusal the key may be used for a corrected request', async t => {
  const { post, made } = await openWorld(t);
  const key = randomUUID();
  t.is((await post(key, { name: '' })).status, 422);
  t.is((await post(key, '{')).status, 400);
  t.is((await post(key, token, '/v0/alerts/none/acknowledge')).status, 404);
  t.is((await post(key)).status, 201);
  t.is(await made(), 1);
});

test.serial('a replay costs nothing of the rate limit, the first and every new request do', async t => {
  const { post } = await openWorld(t, { rateLimitPerMinute: 1, rateLimitBurst: 2 });
  const key = randomUUID();
  t.is((await post(key)).status, 201);
  for (let turn = 0; turn < 7; turn++) t.is((await post(key)).status, 201);
  t.is((await post(randomUUID())).status, 201);
  t.is((await post(randomUUID())).status, 429);
  t.is((await post(key)).status, 201);
  t.is((await post(key, { ...token, name: 'other' })).status, 422);
});

test.serial('beyond the rate limit a known key gets an answer five times as often as the limit allows', async t => {
  const { post } = await openWorld(t, { rateLimitPerMinute: 1, rateLimitBurst: 2 });
  const key = randomUUID();
  t.is((await post(key)).status, 201);
  t.is((await post(randomUUID())).status, 201);
  const statuses: number[] = [];
  for (let turn = 0; turn < 14; turn++)
    statuses.push((await post(key, turn % 2 === 0 ? token : { ...token, name: `other ${turn}` })).status);
  const [granted, refused] = [statuses.slice(0, 10), statuses.slice(-2)];
  t.deepEqual(granted, Array.from({ length: 5 }, () => [201, 422]).flat());
  t.deepEqual(refused, [429, 429], 'also of true replays, which then cost what every request does');
});

test.serial('the body of a request with a known key is compared, not parsed', async t => {
  const { post } = await openWorld(t);
  const key = randomUUID();
  t.is((await post(key)).status, 201);
  const answer = await post(key, '[[],[],');
  t.deepEqual([answer.status, answer.body.code], [422, 'idempotency_key_reused']);
});

test.serial(
  'a stored response is given to the token that made the request, and a key belongs to its project',
  async t => {
    const { api, post, replica } = await openWorld(t);
    const key = randomUUID();
    const first = await post(key);
    const second = (await api('POST', '/v0/tokens', { name: 'second', scopes: ['*'] })).body.token as string;
    const again = await apiOf(replica.url, second)('POST', '/v0/tokens', token, { 'idempotency-key': key });
    t.deepEqual([again.status, again.body.code, again.body.token], [422, 'idempotency_key_reused', undefined]);
    t.is((await api('GET', '/v0/tokens?limit=200')).body.data.length, 3, 'and nothing is done twice');
    t.is((await post(key)).body.token, first.body.token);
    const stranger = await createTenant(databaseOf());
    const own = await apiOf(replica.url, stranger.token)('POST', '/v0/tokens', token, { 'idempotency-key': key });
    t.is(own.status, 201);
    t.is(own.headers['idempotency-replayed'], undefined);
    t.not(own.body.id, first.body.id);
  },
);

test.serial('a replay needs the scope that the request needs', async t => {
  const { api, post, replica } = await openWorld(t);
  const key = randomUUID();
  await post(key);
  const reader = (await api('POST', '/v0/tokens', { name: 'reader', scopes: ['tokens:read'] })).body.token as string;
  const answer = await apiOf(replica.url, reader)('POST', '/v0/tokens', token, { 'idempotency-key': key });
  t.is(answer.status, 403);
});

test.serial('after 24 hours a key is new again', async t => {
  let ahead = 0;
  const { post, made } = await openWorld(t, {}, { now: () => Date.now() + ahead });
  const key = randomUUID();
  const first = await post(key);
  ahead = 86_400_000 - 10_000;
  t.is((await post(key)).body.id, first.body.id);
  ahead = 86_400_000 + 1000;
  const later = await post(key);
  t.is(later.headers['idempotency-replayed'], undefined);
  t.not(later.body.id, first.body.id);
  t.is((await post(key)).body.id, later.body.id);
  t.is(await made(), 2);
});

test.serial('the stored response cannot be read in the table, nor decrypted for another key', async t => {
  const { post, projectId } = await openWorld(t);
  const [key, otherKey] = [randomUUID(), randomUUID()];
  const first = await post(key);
  const secret = first.body.token as string;
  const tables = await readTables(databaseOf());
  const everything = Object.values(tables).flat().join('\n');
  t.false(everything.includes(secret));
  t.false(everything.includes(Buffer.from(secret).toString('hex')));
  const row = (tables.idempotency_keys ?? []).map(text => JSON.parse(text)).find(entry => entry.key === key);
  const sealed = Buffer.from(String(row.sealed_answer).slice(2), 'hex');
  const keyring = createKeyring([testSecretKey]);
  t.true(keyring.open(sealed, `answer ${projectId} ${key}`).includes(secret));
  t.throws(() => keyring.open(sealed, `answer ${projectId} ${otherKey}`));
});

test('a request is recognised after a rotation of keys, and as 0.12.0 stored it; nobody guesses its body', t => {
  const [first, second] = [1, 2].map(fill => Buffer.alloc(32, fill).toString('base64')) as [string, string];
  const body = Buffer.from('{"access": {"type": "password", "password": "secret12"}}');
  const of = (keys: string[], bytes = body) => {
    const request = idempotentRequest(createKeyring(keys), randomUUID(), 'post', '/v0/status-pages', bytes);
    if (request === null) throw new Error('there is a key');
    return request;
  };
  const { fingerprint: before } = of([first]);
  const plain = createHash('sha256').update('post /v0/status-pages\n').update(body).digest();
  for (const stored of [before, of([second, first]).fingerprint, plain])
    t.true(isOfRequest(stored, of([second, first])));
  t.false(isOfRequest(before, of([second])));
  t.false(isOfRequest(before, of([first], Buffer.from('{}'))));
  t.notDeepEqual([...before], [...plain.subarray(0, before.length)]);
});

test.serial('an answer of 0.12.0 is given again', async t => {
  const { post, made } = await openWorld(t);
  const key = randomUUID();
  const { body } = await post(key);
  const plain = createHash('sha256')
    .update(`post /v0/tokens\n${JSON.stringify(token)}`)
    .digest();
  await withSql(databaseOf(), async sql => {
    const stored = await sql.row<{ fingerprint: Buffer }>`select fingerprint from idempotency_keys where key = ${key}`;
    t.notDeepEqual(stored?.fingerprint, plain);
    await sql.run`update idempotency_keys set fingerprint = ${plain} where key = ${key}`;
  });
  t.deepEqual([(await post(key)).body, await made()], [body, 1]);
});
