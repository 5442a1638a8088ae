import test from 'ava';
import { IngestTallies, type Tally } from '#control-plane/analytics/events/tally.ts';
import { apiOf, createTenant, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);

type Named = { name: string };

test('the last events to arrive are listed first, whatever their own time, page by page', async t => {
  const { api, send } = await openEventWorld(t, databaseOf());
  await send({ name: 'first', external_user_id: 'u', session_id: 's', props: { a: 1 } });
  await send({ name: 'late', timestamp: '2026-01-01T00:00:00Z', type: 'error' });
  await api('POST', '/v0/releases', { version: '1' });
  const { data } = (await api('GET', '/v0/events')).body;
  t.deepEqual(
    data.map(({ type }: { type: string }) => type),
    ['release', 'error', 'track'],
  );
  t.like(data[2], { name: 'first', external_user_id: 'u', session_id: 's', props: { a: 1 } });
  t.is(data[1].external_user_id, null);
  t.true(Math.abs(Date.parse(data[1].ingested_at) - Date.now()) < 60_000);
  const pages: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await api('GET', `/v0/events?limit=1${cursor}`);
    pages.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.pagination.has_more) break;
    cursor = `&cursor=${body.pagination.next_cursor}`;
    await send({ name: 'newer' });
  }
  t.deepEqual(
    pages,
    data.map(({ id }: { id: string }) => id),
  );
  const names = async (query: string) =>
    (await api('GET', `/v0/events?${query}`)).body.data.map(({ name }: Named) => name);
  t.deepEqual(await names('types=error'), ['late']);
  t.deepEqual(await names('name=first'), ['first']);
  t.deepEqual(await names('external_user_id=u'), ['first']);
  const soon = new Date(Date.now() + 60_000).toISOString();
  t.deepEqual(await names(`from=${soon}`), []);
  // Of one instant: from one call to the next a millisecond may pass, and the window is an hour at most.
  const nowMs = Date.now();
  const hoursAgo = (hours: number) => new Date(nowMs - hours * 3_600_000).toISOString();
  t.is((await api('GET', `/v0/events?from=${hoursAgo(2)}`)).body.code, 'invalid_parameter');
  t.deepEqual(await names(`from=${hoursAgo(3)}&to=${hoursAgo(2)}`), []);
});

test('a project sees its own events alone, and only with the scope to read them', async t => {
  const { replica, api, send } = await openEventWorld(t, databaseOf());
  await send({ name: 'ours' });
  const other = apiOf(replica.url, (await createTenant(databaseOf())).token);
  t.deepEqual((await other('GET', '/v0/events')).body.data, []);
  const sender = (await api('POST', '/v0/tokens', { name: 'ingests', scopes: ['events:write'] })).body.token;
  for (const path of ['/v0/events', '/v0/events/rate'])
    t.is((await apiOf(replica.url, sender)('GET', path)).body.code, 'insufficient_scope');
});

test('the rate counts what was stored, known and refused, and says what is left of the limits', async t => {
  const { replica, api, send, projectId } = await openEventWorld(t, databaseOf());
  await api('PATCH', '/v0/project', { allowed_origins: ['https://shop.example'] });
  await send([{ name: 'a', dedup_id: '1' }, { name: 'b' }, { name: '' }]);
  await send({ name: 'a', dedup_id: '1' });
  await send([{ name: 'x', type: 'release' }]);
  await send([], {});
  const key = { 'Idempotency-Key': crypto.randomUUID() };
  await send({ name: 'once' }, key);
  t.is((await send({ name: 'once' }, key)).headers['idempotency-replayed'], 'true');
  await fetch(`${replica.url}/v0/events?project_id=${projectId}`, {
    method: 'POST',
    headers: { origin: 'https://other.example', 'content-type': 'text/plain' },
    body: '{"name":"spoofed"}',
  });
  const rate = await until(
    async () => (await api('GET', '/v0/events/rate')).body,
    body => body.last_24_hours.refused >= 4,
  );
  t.deepEqual(rate.last_24_hours, { stored: 3, known: 1, refused: 4 });
  t.deepEqual(rate.refusals.map(({ code, events }: { code: string; events: number }) => [code, events]).sort(), [
    ['empty_batch', 1],
    ['origin_not_allowed', 1],
    ['release_not_ingestible', 1],
    ['too_short', 1],
  ]);
  t.deepEqual(rate.limits, { sustained_per_second: 200, burst_per_second: 1000, burst_seconds: 30 });
  t.is(rate.minutes.length, 60);
  t.is(
    rate.minutes.reduce((sum: number, { stored }: { stored: number }) => sum + stored, 0),
    3,
  );
  t.is(rate.sustained.capacity, 24_500);
  t.true(rate.sustained.available > 24_000 && rate.peak.available <= rate.peak.capacity);
  t.true(rate.bytes_today.used > 0 && rate.bytes_today.used < rate.bytes_today.maximum);
});

test('counts that could not be stored are stored the next time, once', async t => {
  const tallies = new IngestTallies();
  tallies.add('p', 'stored', 2, 60_001);
  tallies.add('p', 'stored', 3, 119_999);
  tallies.add('p', 'known', 0, 60_000);
  const fail = async (): Promise<void> => {
    // What arrives meanwhile is counted along with it.
    tallies.add('p', 'stored', 1, 60_000);
    throw new Error('away');
  };
  await t.throwsAsync(tallies.flush(fail), { message: 'away' });
  const stored: Tally[] = [];
  const store = async (waiting: readonly Tally[]) => void stored.push(...waiting);
  await tallies.flush(store);
  await tallies.flush(store);
  t.deepEqual(stored, [{ projectId: 'p', minuteMs: 60_000, outcome: 'stored', events: 6 }]);
});
