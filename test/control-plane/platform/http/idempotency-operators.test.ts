import { randomUUID } from 'node:crypto';
import test from 'ava';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const hourMs = 3_600_000;

test('what operators post is done once under one key, and repeated with what it said', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const { api, monitor, open } = world;
  /** Posts twice under one key, and once more with another query; returns the first answer. */
  const post = async (path: string, body: object = {}) => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await api('POST', path, body, headers);
    t.true(first.status === 200 || first.status === 201, `${path}: ${JSON.stringify(first.body)}`);
    const again = await api('POST', path, body, headers);
    t.deepEqual([again.status, again.body, again.headers.location], [first.status, first.body, first.headers.location]);
    t.is(again.headers['idempotency-replayed'], 'true', path);
    const other = await api('POST', path, { ...body, another: true }, headers);
    t.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'], path);
    return first.body;
  };
  const count = async (path: string) => (await api('GET', path)).body.data.length;

  const config = { url: 'https://example.com/' };
  const channel = await post('/v0/channels', { type: 'webhook', name: 'hook', config });
  t.regex(channel.secret, /^whsec_/, 'and the repetition says it, too');
  t.is(await count('/v0/channels'), 1);

  const steps = [{ after_minutes: 0, channel_ids: [channel.id] }];
  const routes = [await post('/v0/routes', { name: 'a', steps }), await post('/v0/routes', { name: 'b', steps })];
  t.is(await count('/v0/routes'), 2);
  await post('/v0/routes/order', { ids: routes.map(({ id }) => id).toReversed() });

  const ids = [await monitor('a'), await monitor('b')];
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const scope = { monitor_ids: ids.slice(1) };
  const window = await post('/v0/maintenances', { title: 'x', scope, starts_at: at(-hourMs), ends_at: at(hourMs) });
  t.is(await count('/v0/maintenances'), 1);
  const path = `/v0/maintenances/${window.id}`;
  await post(`${path}/updates`, { state: 'in_progress', body: 'On it.' });
  await post(`${path}/extend`, { ends_at: at(2 * hourMs) });
  await post(`${path}/end`);
  const updates = (await api('GET', path)).body.updates as { body: string }[];
  t.is(updates.filter(({ body }) => body === 'On it.').length, 1);
  const later = { title: 'y', scope, starts_at: at(hourMs), ends_at: at(2 * hourMs) };
  await post(`/v0/maintenances/${(await post('/v0/maintenances', later)).id}/cancel`);

  await open(ids.slice(0, 1), { severity: 'p1' });
  const [group] = await until(
    async () => (await api('GET', '/v0/alert-groups')).body.data,
    groups => groups.length === 1,
  );
  await post(`/v0/alert-groups/${group.id}/acknowledge`);

  const bulk = { ids, action: 'add_labels', labels: { env: 'prod' } };
  t.like(await post('/v0/monitors/bulk', bulk), { matched: 2, changed: 2 });
  const entries = (await api('GET', '/v0/audit?limit=200')).body.data as { action: string }[];
  const actions = Map.groupBy(entries, ({ action }) => action);
  for (const action of ['channel.created', 'maintenance.extended', 'maintenance.ended', 'alert_group.acknowledged'])
    t.is(actions.get(action as never)?.length, 1, action);
});
