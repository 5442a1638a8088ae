import { gzipSync } from 'node:zlib';
import { Analytics } from '@segment/analytics-node';
import test from 'ava';
import fc from 'fast-check';
import { createTenant } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);

type Stored = Record<string, unknown> & { name: string; props?: Record<string, unknown> };

test('Segment’s Node library stores each of its calls once', async t => {
  const { api, token, replica } = await openEventWorld(t, databaseOf());
  const failures: unknown[] = [];
  const analytics = new Analytics({ writeKey: token, host: replica.url, flushInterval: 50, maxRetries: 0 });
  analytics.on('error', error => failures.push(error));
  const user = { userId: 'u1', anonymousId: 'anonymous' };
  analytics.track({ ...user, event: 'Paid', properties: { plan: 'pro' }, messageId: 'once' });
  analytics.track({ ...user, event: 'Paid', properties: { plan: 'pro' }, messageId: 'once' });
  analytics.identify({ ...user, traits: { email: 'a@example.com' } });
  analytics.identify({ userId: 'alone' });
  analytics.page({ ...user, name: 'Prices', category: 'Docs', properties: { path: '/prices' } });
  analytics.screen({ ...user, name: 'Home' });
  analytics.group({ ...user, groupId: 'g1', traits: { size: 3 } });
  analytics.alias({ userId: 'u1', previousId: 'before' });
  await analytics.closeAndFlush();
  t.deepEqual(failures, []);

  const { body } = await api('GET', '/v0/events');
  const stored = (body.data as Stored[]).map(({ name, type, external_user_id: id, session_id: session, props }) => ({
    name,
    type,
    id,
    session,
    props,
  }));
  const of = { id: 'u1', session: 'anonymous' };
  t.deepEqual(
    stored.map(event => JSON.stringify(event)).sort(),
    [
      { ...of, name: 'group', type: 'track', props: { group_id: 'g1', size: 3 } },
      { ...of, name: 'identify', type: 'identify', props: { email: 'a@example.com' } },
      { ...of, session: 'before', name: 'identify', type: 'identify', props: undefined as unknown },
      { ...of, name: 'page', type: 'track', props: { name: 'Prices', category: 'Docs', path: '/prices' } },
      { ...of, name: 'Paid', type: 'track', props: { plan: 'pro' } },
      { ...of, name: 'screen', type: 'track', props: { name: 'Home' } },
    ]
      .map(({ name, type, id, session, props }) => JSON.stringify({ name, type, id, session, props }))
      .sort(),
  );
  t.false(JSON.stringify(body).includes('analytics-node'));
  const timeline = await api('GET', '/v0/users/u1/timeline');
  t.is(timeline.body.data.length, 4);
  const identified = await api('GET', '/v0/users/u1/timeline?types=identify');
  t.is(identified.body.data.length, 2);
});

test('each address takes its call, with the time by our clock, and answers as Segment does', async t => {
  const { api, token, replica } = await openEventWorld(t, databaseOf());
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${replica.url}/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const at = (msAgo: number) => new Date(Date.now() - msAgo).toISOString();
  const skewed = { originalTimestamp: '2020-01-01T00:00:00.000Z', sentAt: '2020-01-01T01:00:00.000Z' };
  const long = 'm'.repeat(200);
  t.like(await post('track', { event: 'a', userId: 7, messageId: long, ...skewed }), {
    status: 200,
    body: { success: true, accepted: 1, rejected: 0 },
  });
  t.like(await post('track', { event: 'a', userId: 7, messageId: long }), { status: 200, body: { duplicates: 1 } });
  const [event] = (await api('GET', '/v0/events')).body.data;
  t.is(event.external_user_id, '7');
  t.true(Math.abs(Date.parse(event.timestamp) - Date.parse(at(3_600_000))) < 60_000);

  t.like(await post('identify', { userId: 'u' }), { status: 200, body: { success: true, rejected: 1, accepted: 0 } });
  const mixed = await post('batch', {
    batch: [{ type: 'track' }, { type: 'page', userId: 'u' }, { type: 'none' }, 5, { type: 'identify', userId: 'u' }],
  });
  t.like(mixed, { status: 200, body: { accepted: 1, rejected: 4 } });
  t.deepEqual(
    mixed.body.errors.map((error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`),
    ['/batch/0/name required', '/batch/2/type enum', '/batch/3 type', '/batch/4/session_id required'],
  );
  t.is((await post('track', { event: '' })).status, 422);
  t.is((await post('batch', { batch: [] })).status, 400);
  t.is((await post('batch', {})).status, 422);
  t.is((await post('batch', { batch: Array.from({ length: 1001 }, () => ({ type: 'page' })) })).status, 413);
  const packed = gzipSync(JSON.stringify({ batch: [{ type: 'track', event: 'packed', anonymousId: 's' }] }));
  t.is((await post('batch', packed, { 'content-encoding': 'gzip' })).status, 200);
  t.is((await post('track', { event: 'b' }, { authorization: `Bearer ${token}` })).status, 200);

  const { token: reader } = await createTenant(databaseOf(), ['events:read']);
  const basic = (name: string) => ({ authorization: `Basic ${Buffer.from(`${name}:x`).toString('base64')}` });
  t.is((await post('track', { event: 'b' }, basic(reader))).status, 403);
  t.is((await post('track', { event: 'b' }, basic('nobody'))).status, 401);
  t.is((await fetch(`${replica.url}/v1/track`, { method: 'POST', body: '{}' })).status, 401);
});

test('no body makes the intake fail', async t => {
  const { token, replica } = await openEventWorld(t, databaseOf());
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('track', 'identify', 'page', 'alias', ''));
  const members = ['type', 'event', 'userId', 'anonymousId', 'messageId', 'timestamp', 'originalTimestamp', 'sentAt'];
  const call = fc.dictionary(fc.constantFrom(...members, 'properties', 'traits', '__proto__'), value);
  const body = fc.oneof(fc.record({ batch: fc.array(fc.oneof(call, value)), sentAt: value }), call, value);
  for (const sent of fc.sample(body, 60)) {
    const path = ['batch', 'track', 'identify', 'alias', 'group'][Math.floor(Math.random() * 5)];
    const response = await fetch(`${replica.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    });
    t.true([200, 400, 413, 422].includes(response.status), `${response.status}: ${JSON.stringify(sent)}`);
    await response.body?.cancel();
  }
});
