import test from 'ava';
import { apiOf } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

test('each change of a monitor says who made it, what differs, and which version it made', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post({ name: 'Shop check' })).body;
  await world.api('PATCH', `/v0/monitors/${id}`, { interval_seconds: 120 });
  await world.api('PATCH', `/v0/monitors/${id}`, { labels: { team: 'web' } });
  const path = `/v0/monitors/${id}/versions`;
  const { data } = (await world.api('GET', path)).body;
  type Change = { action: string; config_version: number | null };
  t.deepEqual(
    data.map(({ action, config_version }: Change) => [action, config_version]),
    [
      ['monitor.updated', null],
      ['monitor.updated', 2],
      ['monitor.created', 1],
    ],
  );
  t.like(data[0], { before: { labels: {} }, after: { labels: { team: 'web' } }, via: 'api' });
  t.is(data[1].after.interval_seconds, 120);
  t.is(data[1].actor.type, 'token');
  const first = (await world.api('GET', `${path}?limit=1`)).body;
  const next = (await world.api('GET', `${path}?limit=1&cursor=${first.pagination.next_cursor}`)).body;
  t.deepEqual([...first.data, ...next.data], data.slice(0, 2));
  const reader = (await world.api('POST', '/v0/tokens', { name: 'r', scopes: ['monitors:read'] })).body.token;
  t.is((await apiOf(world.url, reader)('GET', path)).body.code, 'insufficient_scope');
  t.is((await world.api('GET', '/v0/monitors/mon_none/versions')).status, 404);
});
