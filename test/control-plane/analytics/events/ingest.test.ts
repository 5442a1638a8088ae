import { randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { parseRange } from '#shared/network/guard.ts';
import { apiOf, createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld, raiseLimits } from '#test/support/events.ts';
import { problemFault } from '#test/support/problem.ts';
import { openRaw, type RawAnswer, writeRequest } from '#test/support/raw-connection.ts';

const databaseOf = useDatabase(test);

test('one event is answered after it is stored, with a receipt, and is on the timeline at once', async t => {
  const { send, stored, api, projectId } = await openEventWorld(t, databaseOf());
  const event = {
    name: ' signed up ',
    external_user_id: 'u/1 ä',
    props: { plan: 'pro', n: 1.5 },
    timestamp: '2026-11-20T10:00:00.1239+01:00',
  };
  const answer = await send(event);
  t.is(answer.status, 202);
  const { receipt_id, event_ids, ...counts } = answer.body;
  t.regex(receipt_id, /^rcp_[0-9a-z]{26}$/);
  t.regex(event_ids[0], /^evt_[0-9a-z]{26}$/);
  t.deepEqual(counts, { received: 1, accepted: 1, duplicates: 0, rejected: 0, errors: [] });
  t.is((await stored()).length, 1);
  const timeline = await api('GET', `/v0/users/${encodeURIComponent('u/1 ä')}/timeline`);
  t.deepEqual(timeline.body, {
    data: [
      {
        id: event_ids[0],
        name: 'signed up',
        type: 'track',
        timestamp: '2026-11-20T09:00:00.123Z',
        props: { plan: 'pro', n: 1.5 },
      },
    ],
    pagination: { has_more: false, next_cursor: null },
  });
  const other = await createTenant(databaseOf());
  t.not(other.projectId, projectId);
});

test('each item of a batch gets its outcome; good ones are stored beside bad ones', async t => {
  const { send, stored } = await openEventWorld(t, databaseOf());
  const answer = await send([
    { name: 'a' },
    { name: '' },
    5,
    { name: 'b', type: 'error' },
    { name: 'c', type: 'release' },
  ]);
  t.is(answer.status, 202);
  t.like(answer.body, { received: 5, accepted: 2, duplicates: 0, rejected: 3 });
  t.deepEqual(
    answer.body.event_ids.map((id: string | null) => id !== null),
    [true, false, false, true, false],
  );
  t.deepEqual(
    answer.body.errors.map((error: Record<string, unknown>) => [error.index, error.pointer, error.code]),
    [
      [1, '/1/name', 'too_short'],
      [2, '/2', 'type'],
      [4, '/4/type', 'release_not_ingestible'],
    ],
  );
  t.deepEqual(
    (await stored()).map(event => event.name),
    ['a', 'b'],
  );
});

test('a request without one good item is a problem of the contract, with every error', async t => {
  const { send, stored } = await openEventWorld(t, databaseOf());
  const cases: [unknown, number, string][] = [
    [[], 400, 'empty_batch'],
    [Array.from({ length: 1001 }, () => ({ name: 'a' })), 413, 'batch_too_large'],
    [{}, 422, 'validation_failed'],
    [[{}, {}], 422, 'validation_failed'],
    [{ name: 'a', type: 'release' }, 422, 'release_not_ingestible'],
    [[{ name: 'a', type: 'release' }, {}], 422, 'validation_failed'],
    ['{', 400, 'invalid_json'],
    ['', 400, 'invalid_json'],
  ];
  for (const [body, status, code] of cases) {
    const answer = await send(body);
    t.deepEqual([answer.status, answer.body.code], [status, code]);
    t.is(answer.headers['access-control-allow-origin'], '*');
  }
  const many = await send(Array.from({ length: 1000 }, () => ({})));
  t.is(many.body.errors.length, 1000);
  t.deepEqual(many.body.errors[999], { index: 999, pointer: '/999/name', code: 'required', detail: 'is required' });
  t.deepEqual(await stored(), []);
});

test('a dedup_id is stored once per project and kind of sender: in one batch, in two, and in many at once', async t => {
  const { send, stored, replica, projectId } = await openEventWorld(t, databaseOf());
  const twice = await send([{ name: 'a', dedup_id: 'd1' }, { name: 'a', dedup_id: 'd1' }, { name: 'b' }]);
  t.like(twice.body, { accepted: 2, duplicates: 1 });
  t.is(twice.body.event_ids[0], twice.body.event_ids[1]);
  const again = await send({ name: 'a', dedup_id: 'd1' });
  t.is(again.status, 202);
  t.like(again.body, { accepted: 0, duplicates: 1, event_ids: [twice.body.event_ids[0]] });
  const atOnce = await Promise.all(
    Array.from({ length: 20 }, () =>
      send([
        { name: 'c', dedup_id: 'd2' },
        { name: 'c', dedup_id: 'd3' },
      ]),
    ),
  );
  t.is(new Set(atOnce.map(answer => answer.body.event_ids.join())).size, 1);
  t.is((await stored()).length, 4);
  const page = apiOf(replica.url, '');
  const fromPage = await page('POST', `/v0/events?project_id=${projectId}`, { name: 'a', dedup_id: 'd1' });
  t.like(fromPage.body, { accepted: 1, duplicates: 0 });
  const other = await createTenant(databaseOf());
  t.like((await apiOf(replica.url, other.token)('POST', '/v0/events', { name: 'a', dedup_id: 'd1' })).body, {
    accepted: 1,
  });
});

test('after 24 hours a dedup_id is new again', async t => {
  const clock = { nowMs: Date.now(), now: () => clock.nowMs };
  const { send, stored } = await openEventWorld(t, databaseOf(), { clock });
  t.like((await send({ name: 'a', dedup_id: 'd' })).body, { accepted: 1 });
  clock.nowMs += 86_399_000;
  t.like((await send({ name: 'a', dedup_id: 'd' })).body, { duplicates: 1 });
  clock.nowMs += 2000;
  t.like((await send({ name: 'a', dedup_id: 'd' })).body, { accepted: 1 });
  t.is((await stored()).length, 2);
});

test('an Idempotency-Key replays the receipt, is charged once, and refuses another body', async t => {
  const { send, stored, projectId } = await openEventWorld(t, databaseOf());
  const key = { 'idempotency-key': randomUUID() };
  const body = [{ name: 'a' }, { name: '' }];
  const first = await send(body, key);
  const again = await send(body, key);
  t.is(first.status, 202);
  t.deepEqual([again.status, again.body, again.headers['idempotency-replayed']], [202, first.body, 'true']);
  t.is((await send([{ name: 'b' }], key)).body.code, 'idempotency_key_reused');
  t.is((await send(body, { 'idempotency-key': 'no uuid' })).body.code, 'invalid_idempotency_key');
  t.is((await stored()).length, 1);
  const bucket = await withSql(
    databaseOf(),
    sql =>
      sql.row<{ tokens: number }>`select tokens from ingest_buckets where key = ${`project ${projectId} sustained`}`,
  );
  t.is(bucket?.tokens, 24_499);
  const refused = { 'idempotency-key': randomUUID() };
  t.is((await send({}, refused)).status, 422);
  t.is((await send({ name: 'a' }, refused)).status, 202, 'only successful responses are stored');
});

test('gzip, deflate and br are read; the limit holds while inflating, and a bomb is refused', async t => {
  const { replica, token, stored } = await openEventWorld(t, databaseOf());
  const body = Buffer.from(JSON.stringify([{ name: 'packed', props: { text: 'x'.repeat(1000) } }]));
  const post = async (encoding: string, bytes: Uint8Array): Promise<RawAnswer> => {
    await using connection = await openRaw(replica.port);
    const headers = { authorization: `Bearer ${token}`, 'content-encoding': encoding };
    return (await connection.exchange(writeRequest('POST', '/v0/events', headers, bytes), 'POST')) as RawAnswer;
  };
  const packed: [string, Uint8Array][] = [
    ['gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['deflate', deflateRawSync(body)],
    ['br', brotliCompressSync(body)],
    ['identity', body],
  ];
  for (const [encoding, bytes] of packed) t.is((await post(encoding, bytes)).status, 202, encoding);
  t.is((await stored()).length, packed.length);
  const blanks = (size: number) => Buffer.concat([Buffer.from('{"name":"a"}'), Buffer.alloc(size - 12, 0x20)]);
  const limit = 5 * 1_048_576;
  for (const [encoding, pack] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const) {
    t.is((await post(encoding, pack(blanks(limit)))).status, 202, encoding);
    const answer = await post(encoding, pack(blanks(limit + 1)));
    t.is(answer.status, 413, encoding);
    t.is(problemFault(413, String(answer.headers['content-type']), answer.body), null);
  }
  t.is((await post('identity', blanks(limit))).status, 202);
  t.is((await post('identity', blanks(limit + 1))).status, 413);
  const noise = Buffer.from(Array.from({ length: 1_048_577 }, () => Math.floor(Math.random() * 256)));
  t.is((await post('gzip', noise)).status, 413, 'more than 1 MiB on the wire');
  for (const [encoding, bytes, status] of [
    ['gzip', gzipSync(body).subarray(0, 20), 400],
    ['gzip', body, 400],
    ['br', Buffer.from('not brotli at all'), 400],
    ['deflate', Buffer.from([0x78]), 400],
    ['gzip', Buffer.alloc(0), 400],
    ['gzip, br', gzipSync(body), 415],
    ['zstd', body, 415],
    ['__proto__', body, 415],
  ] as const)
    t.is((await post(encoding, bytes)).status, status, encoding);
});

test('concurrent bombs cost bounded memory: beyond the budget they get a 503', async t => {
  const { replica, token, api } = await openEventWorld(t, databaseOf(), {});
  const bomb = gzipSync(Buffer.alloc(50 * 1_048_576, 0x5b), { level: 9 });
  // Of this thread alone: others run tests meanwhile.
  const heldBytes = () => process.memoryUsage().arrayBuffers;
  const send = async () => {
    await using connection = await openRaw(replica.port);
    const headers = { authorization: `Bearer ${token}`, 'content-encoding': 'gzip' };
    return (await connection.exchange(writeRequest('POST', '/v0/events', headers, bomb), 'POST'))?.status;
  };
  const heldMax = 600 * 1_048_576;
  // Garbage counts as well, until it is collected.
  let most = heldMax;
  for (let round = 0; round < 3 && most >= heldMax; round++) {
    const before = heldBytes();
    most = 0;
    const sampling = setInterval(() => {
      most = Math.max(most, heldBytes() - before);
    }, 5);
    t.teardown(() => clearInterval(sampling));
    const answers = await Promise.all(Array.from({ length: 200 }, send));
    clearInterval(sampling);
    t.true(answers.every(status => status === 413 || status === 503));
  }
  t.true(most < heldMax, `${most} bytes`);
  t.is((await api('POST', '/v0/events', { name: 'after' })).status, 202);
});

const poison: [string, string][] = [
  ['NUL', '{"name":"p","props":{"a":"\\u0000"}}'],
  ['NUL in a key', '{"name":"p","props":{"\\u0000":"\\u0000"}}'],
  ['half a pair', '{"name":"\\ud800","external_user_id":"\\udfff","props":{"\\udc00":"\\ud800\\ud800"}}'],
  ['__proto__', '{"name":"p","__proto__":{"type":"release"},"props":{"__proto__":{"__proto__":1}}}'],
  [
    'large numbers',
    '{"name":"p","props":{"a":9007199254740993,"b":1e308,"c":-1e308,"d":5e-324,"e":123456789012345678901234567890}}',
  ],
  ['doubled keys', '{"name":"p","name":"p","props":{"a":1,"a":2}}'],
  ['an empty key', '{"name":"p","props":{"":{"":""}}}'],
  ['direction marks', '{"name":"\\u202e\\ufeff\\u2028p","props":{"\\u202e":"\\ufffe\\uffff"}}'],
  ['quotes and backslashes', '{"name":"p\'\\"\\\\","props":{"a\'\\"\\\\":"{},\\\\\\"\'"}}'],
  ['SQL', '{"name":"\'); drop table events; --","props":{"$1":"$1"}}'],
  ['all planes', '{"name":"\u{10ffff}😀p","props":{"😀":"\u{10ffff}"}}'],
];
const rotten: [string, string][] = [
  ['a number beyond a double', '{"name":"p","props":{"a":1e400}}'],
  ['depth', `{"name":"p","props":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`],
  ['lists in lists', `{"name":"p","props":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`],
  ['width', `{"name":"p","props":{${Array.from({ length: 300 }, (_, key) => `"${key}":1`).join()}}}`],
  ['size', `{"name":"p","props":{"a":"${'x'.repeat(40_000)}"}}`],
];

test('no poison fails its neighbours: what can be stored is, the rest is refused alone', async t => {
  const { send, stored } = await openEventWorld(t, databaseOf());
  const items = [...poison, ...rotten].flatMap(([, text]) => ['{"name":"good"}', text]);
  const answer = await send(`[${items.join()},{"name":"good"}]`);
  t.is(answer.status, 202);
  t.like(answer.body, { accepted: poison.length * 2 + rotten.length + 1, rejected: rotten.length });
  t.is((await stored()).filter(event => event.name === 'good').length, poison.length + rotten.length + 1);
  for (const [what, text] of poison) {
    const alone = await send(text);
    t.is(alone.status, 202, what);
    const expected = JSON.parse(text, (_, value) =>
      typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
    );
    const found = (await stored()).find(event => event.id === alone.body.event_ids[0]);
    t.is(found?.name, expected.name.trim(), what);
  }
  for (const [what, text] of rotten) t.is((await send(text)).status, 422, what);
});

test('bytes that are no UTF-8 are refused as JSON', async t => {
  const { replica, token } = await openEventWorld(t, databaseOf());
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
    await using connection = await openRaw(replica.port);
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const answer = await connection.exchange(
      writeRequest('POST', '/v0/events', { authorization: `Bearer ${token}` }, body),
      'POST',
    );
    t.is(answer?.status, 400);
    t.is(JSON.parse(answer?.body ?? '{}').code, 'invalid_json');
  }
});

test('an event that only the database rejects is found by bisection and refused alone', async t => {
  const { send, stored, projectId } = await openEventWorld(t, databaseOf());
  await withSql(databaseOf(), async sql => {
    await sql.run`
      create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'bad data' using errcode = '22P05'; end $$`;
    await sql.run`
      create trigger refuse before insert on event_dedup_keys
      for each row when (starts_with(new.dedup_id, 'poison ')) execute function refuse()`;
  });
  const items = Array.from({ length: 40 }, (_, index) => ({
    name: `n${index}`,
    dedup_id: index === 17 ? `poison ${projectId}` : `d${index}`,
  }));
  const [answer, neighbour] = await Promise.all([send(items), send({ name: 'another request' })]);
  t.is(neighbour.status, 202);
  t.is(answer.status, 202);
  t.like(answer.body, { accepted: 39, rejected: 1 });
  t.is(answer.body.event_ids[17], null);
  t.is((await stored()).length, 40);
});

test('requests at once share commits, and every 202 is in the database', async t => {
  const { send, stored, projectId } = await openEventWorld(t, databaseOf());
  await raiseLimits(databaseOf(), projectId);
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => send({ name: `n${index}` })));
  t.true(answers.every(answer => answer.status === 202));
  const ids = new Set((await stored()).map(event => event.id));
  t.is(ids.size, 200);
  for (const answer of answers) t.true(ids.has(answer.body.event_ids[0]));
});

test('a page without a token may send text/plain, from its project’s origins, track events only', async t => {
  const { replica, projectId, api, token } = await openEventWorld(t, databaseOf());
  const page = apiOf(replica.url, '');
  const path = `/v0/events?project_id=${projectId}`;
  const text = { 'content-type': 'text/plain;charset=UTF-8', origin: 'https://shop.example' };
  t.is((await page('POST', path, { name: 'a' }, text)).status, 202);
  t.is((await page('POST', path, { name: 'a', type: 'error' }, text)).body.errors[0].code, 'not_allowed');
  t.is((await page('POST', path, { name: 'a' }, { ...text, 'content-type': 'text/html' })).status, 415);
  t.is(
    (
      await page(
        'POST',
        path,
        Array.from({ length: 301 }, () => ({ name: 'a' })),
        text,
      )
    ).body.code,
    'batch_too_large',
  );
  t.is(
    (await page('POST', `/v0/events?project_id=proj_${'0'.repeat(26)}`, { name: 'a' }, text)).body.code,
    'not_found',
  );
  t.is((await page('POST', '/v0/events', { name: 'a' }, text)).body.code, 'missing_token');
  t.is((await page('POST', `${path}&other=1`, { name: 'a' }, text)).status, 400);
  t.is((await api('POST', '/v0/events', { name: 'a' }, { 'content-type': 'text/plain' })).status, 415);
  const stranger = await createTenant(databaseOf());
  t.is((await apiOf(replica.url, stranger.token)('POST', path, { name: 'a' })).status, 404);
  await api('PATCH', '/v0/project', { allowed_origins: ['https://shop.example'] });
  t.is((await page('POST', path, { name: 'a' }, text)).status, 202);
  for (const origin of ['https://evil.example', 'https://shop.example.evil.example', 'null', 'http://shop.example']) {
    const refused = await page('POST', path, { name: 'a' }, { ...text, origin });
    t.deepEqual([refused.status, refused.body.code], [403, 'origin_not_allowed'], origin);
    t.is(refused.headers['access-control-allow-origin'], '*', 'the page may read why');
  }
  t.is((await page('POST', path, { name: 'a' }, { 'content-type': 'text/plain' })).status, 403, 'no origin at all');
  t.is((await apiOf(replica.url, token)('POST', '/v0/events', { name: 'a' })).status, 202, 'a server has none');
});

test('browsers may read every response, errors too, and preflight requests are answered', async t => {
  const { replica, projectId } = await openEventWorld(t, databaseOf());
  const page = apiOf(replica.url, '');
  const preflight = await page('OPTIONS', '/v0/events');
  t.is(preflight.status, 204);
  t.is(preflight.headers['access-control-allow-origin'], '*');
  t.regex(String(preflight.headers['access-control-allow-headers']), /Content-Type/);
  const traced = 'traceparent,baggage, x-datadog-trace-id';
  const answer = await page('OPTIONS', '/v0/events', undefined, { 'access-control-request-headers': traced });
  t.regex(String(answer.headers['access-control-allow-headers']), /Content-Type, .*, traceparent, baggage, x-datadog-/);
  for (const [method, path, body] of [
    ['POST', `/v0/events?project_id=${projectId}`, '{'],
    ['POST', '/v0/events', '{}'],
    ['GET', '/v0/events', undefined],
    ['POST', '/v0/events?x=1', '{}'],
  ] as const)
    t.is((await page(method, path, body)).headers['access-control-allow-origin'], '*', `${method} ${path}`);
  t.is((await page('GET', '/v0/project')).headers['access-control-allow-origin'], undefined);
});

test('each address has its own bucket, and only a trusted proxy names it', async t => {
  const world = await openEventWorld(t, databaseOf(), {
    changes: {
      trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'].flatMap(text => {
        const range = parseRange(text);
        return range === null ? [] : [range];
      }),
    },
  });
  const page = apiOf(world.replica.url, '');
  const send = (from: string, count = 300) =>
    page(
      'POST',
      `/v0/events?project_id=${world.projectId}`,
      Array.from({ length: count }, () => ({ name: 'a' })),
      {
        'content-type': 'text/plain',
        'x-forwarded-for': from,
      },
    );
  t.is((await send('198.51.100.1')).status, 202);
  const refused = await send('198.51.100.1');
  t.is(refused.status, 429);
  t.true(refused.body.retry_after >= 1 && refused.body.retry_after <= 6);
  t.is(
    (await send('203.0.113.9, 198.51.100.1, 10.1.1.1')).status,
    429,
    'what a caller claims before its proxy does not count',
  );
  t.is((await send('198.51.100.2, 10.1.1.1')).status, 202);
  t.is((await send('2001:db8:1:2:aaaa::1')).status, 202);
  t.is((await send('2001:db8:1:2:bbbb::1')).status, 429, 'one network of IPv6 is one caller');
});

test('while the database is away: 503 with retry_after, nothing stored; afterwards it recovers by itself', async t => {
  const { send, stored, replica } = await openEventWorld(t, databaseOf(), {});
  t.is((await send({ name: 'before' })).status, 202);
  const { ingest } = replica.pools;
  const { connect } = ingest;
  const away = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  Object.assign(ingest, { connect: away });
  const answers = await Promise.all(Array.from({ length: 5 }, () => send([{ name: 'lost' }])));
  for (const answer of answers) {
    t.deepEqual([answer.status, answer.body.code], [503, 'unavailable']);
    t.true(answer.body.retry_after >= 1);
    t.is(answer.headers['retry-after'], String(answer.body.retry_after));
  }
  Object.assign(ingest, { connect });
  t.is((await send({ name: 'after' })).status, 202);
  t.deepEqual(
    (await stored()).map(event => event.name),
    ['before', 'after'],
  );
});

test('a revoked token is refused at once, also while others are being looked up', async t => {
  const { send, api } = await openEventWorld(t, databaseOf());
  const { body } = await api('GET', '/v0/tokens');
  const made = await api('POST', '/v0/tokens', { name: 'second', scopes: ['*'] });
  await Promise.all(Array.from({ length: 10 }, () => send({ name: 'a' })));
  await api('DELETE', `/v0/tokens/${body.data[0].id}`);
  t.is((await send({ name: 'a' })).body.code, 'token_revoked');
  t.is(made.status, 201);
});
