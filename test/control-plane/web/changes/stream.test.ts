import { once } from 'node:events';
import test from 'ava';
import { openChanges } from '#test/support/change-stream.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

test('a change reaches those who listen to the project, and is told again after a break', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const other = await openMonitorWorld(t, databaseOf());
  const stream = await openChanges(t, world.url, world.token);
  t.is(stream.response.statusCode, 200);
  t.is(stream.response.headers['content-type'], 'text/event-stream; charset=utf-8');
  const ready = await stream.next();
  t.is(ready.event, 'ready');
  t.false(ready.data.resumed);
  await other.post({ name: 'of another project' });
  const { id } = (await world.post({ name: 'a' })).body;
  const change = await stream.until('change', ({ topic }) => topic === 'monitors');
  t.deepEqual(change.data.ids, [id]);
  const beat = await stream.until('beat');
  t.true((beat.id ?? 0) >= (change.id ?? 0));
  stream.close();
  await world.patch(id, { name: 'b' });
  const again = await openChanges(t, world.url, world.token, beat.id ?? 0);
  t.true((await again.next()).data.resumed as boolean);
  t.deepEqual((await again.next()).data, { topic: 'monitors', ids: [id] });
});

test('a token that is revoked ends its stream at once, and a server that stops ends all', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id, token } = (await world.api('POST', '/v0/tokens', { name: 'screen', scopes: ['monitors:read'] })).body;
  const stream = await openChanges(t, world.url, token);
  await stream.next();
  await world.api('DELETE', `/v0/tokens/${id}`);
  t.deepEqual((await stream.until('end')).data, { code: 'token_revoked' });
  await once(stream.response, 'close');
});

test('any caller may listen, and hears of the topics that its scopes read', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { token } = (await world.api('POST', '/v0/tokens', { name: 'project', scopes: ['project:read'] })).body;
  const [all, some] = [await openChanges(t, world.url, world.token), await openChanges(t, world.url, token)];
  t.is((await some.next()).event, 'ready');
  await world.post({ name: 'unheard' });
  await all.until('change', ({ topic }) => topic === 'monitors');
  await world.api('PATCH', '/v0/project', { name: 'Heard' });
  t.is((await some.until('change')).data.topic, 'project');
});
