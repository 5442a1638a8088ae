import test from 'ava';
import { apiOf, createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);
const hourMs = 3_600_000;

test('newest first by event time, ties by id, page by page without a gap, while new events come in', async t => {
  const { send, api } = await openEventWorld(t, databaseOf());
  const atMs = Date.now() - 10 * hourMs;
  const batch = Array.from({ length: 25 }, (_, index) => ({
    name: `n${index}`,
    external_user_id: 'u',
    timestamp: new Date(atMs + Math.floor(index / 5) * 1000).toISOString(),
  }));
  const { event_ids } = (await send(batch)).body;
  await send([{ name: 'other', external_user_id: 'v' }, { name: 'none' }]);
  const expected = [...batch.keys()]
    .sort(
      (left, right) => Math.floor(right / 5) - Math.floor(left / 5) || (event_ids[left] < event_ids[right] ? 1 : -1),
    )
    .map(index => event_ids[index]);
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await api('GET', `/v0/users/u/timeline?limit=4${cursor}`);
    seen.push(...body.data.map((item: { id: string }) => item.id));
    cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
    await send({ name: 'new', external_user_id: 'u' });
  } while (cursor !== '');
  t.deepEqual(seen, expected);
});

test('types, from and to choose; props are there only if the event had them; an unknown user has no data', async t => {
  const { send, api } = await openEventWorld(t, databaseOf());
  const at = (seconds: number) => new Date(Date.now() - hourMs + seconds * 1000).toISOString();
  const [first, second] = [at(0), at(60)];
  await send([
    { name: 'a', external_user_id: 'u', timestamp: first, props: {}, session_id: 's1' },
    { name: 'b', external_user_id: 'u', timestamp: second, type: 'error' },
  ]);
  const names = async (query: string) =>
    (await api('GET', `/v0/users/u/timeline${query}`)).body.data.map((item: { name: string }) => item.name);
  t.deepEqual(await names(''), ['b', 'a']);
  t.deepEqual(await names('?types=track'), ['a']);
  t.deepEqual(await names('?types=error,track'), ['b', 'a']);
  t.deepEqual(await names(`?from=${first}&to=${second}`), ['a']);
  t.deepEqual(await names(`?from=${second}`), ['b']);
  const { data } = (await api('GET', '/v0/users/u/timeline')).body;
  t.deepEqual(Object.keys(data[0]), ['id', 'name', 'type', 'timestamp']);
  t.deepEqual(data[1].props, {});
  t.is(data[1].session_id, 's1');
  t.deepEqual((await api('GET', '/v0/users/nobody/timeline')).body.data, []);
  t.is((await api('GET', '/v0/users/u/timeline?types=page')).status, 400);
  t.is((await api('GET', `/v0/users/u/timeline?from=${second}&to=${first}`)).status, 400);
  const { next_cursor } = (await api('GET', '/v0/users/u/timeline?limit=1')).body.pagination;
  t.is((await api('GET', `/v0/users/v/timeline?cursor=${next_cursor}`)).body.code, 'invalid_cursor');
});

test('a project sees nothing of another’s users of the same name', async t => {
  const { send, replica } = await openEventWorld(t, databaseOf());
  await send({ name: 'a', external_user_id: 'same' });
  const other = await createTenant(databaseOf());
  t.deepEqual((await apiOf(replica.url, other.token)('GET', '/v0/users/same/timeline')).body.data, []);
});

test('what is past the plan’s retention is not shown, also before it is deleted', async t => {
  const { send, api, projectId } = await openEventWorld(t, databaseOf());
  const { event_ids } = (
    await send([
      { name: 'old', external_user_id: 'u' },
      { name: 'new', external_user_id: 'u' },
    ])
  ).body;
  await withSql(databaseOf(), async sql => {
    await sql.run`
      update events
      set ingested_at = ingested_at - interval '1 hour'
      where project_id = ${projectId}
        and id = ${event_ids[0]}`;
    await sql.run`update projects set event_retention_days = 0 where id = ${projectId}`;
  });
  t.deepEqual((await api('GET', '/v0/users/u/timeline')).body.data, []);
});

test('a token that may only send events reads no timeline; other writes still include their reads', async t => {
  const { replica } = await openEventWorld(t, databaseOf());
  const path = '/v0/users/u/timeline';
  const sender = apiOf(replica.url, (await createTenant(databaseOf(), ['events:write', 'flows:write'])).token);
  t.is((await sender('POST', '/v0/events', { name: 'a', external_user_id: 'u' })).status, 202);
  t.is((await sender('GET', path)).body.code, 'insufficient_scope');
  t.is((await sender('GET', '/v0/flows')).status, 200);
  const reader = apiOf(replica.url, (await createTenant(databaseOf(), ['events:write', 'events:read'])).token);
  t.is((await reader('GET', path)).status, 200);
});

test('a user that no path can name is found by the query, and pages go on', async t => {
  const { send, api } = await openEventWorld(t, databaseOf());
  const ids = ['.', '../..', 'timeline', 'a/b', 'ü & ?'];
  await send(ids.flatMap(id => [1, 2].map(n => ({ name: `${id} ${n}`, external_user_id: id }))));
  for (const id of ids) {
    const path = `/v0/users/timeline?external_id=${encodeURIComponent(id)}`;
    const first = await api('GET', `${path}&limit=1`);
    t.is(first.status, 200, id);
    const second = await api('GET', `${path}&cursor=${first.body.pagination.next_cursor}`);
    const names = [...first.body.data, ...second.body.data].map((item: { name: string }) => item.name);
    t.deepEqual(names.sort(), [`${id} 1`, `${id} 2`]);
  }
  t.is((await api('GET', '/v0/users/timeline/timeline')).body.data.length, 2, 'a user named so keeps its path');
  for (const query of ['', '?external_id=', `?external_id=${'x'.repeat(201)}`, '?external_id=u&user=u'])
    t.is((await api('GET', `/v0/users/timeline${query}`)).status, 400, query);
});
