import test from 'ava';
import { minuteMs, secondMs } from '#shared/duration.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { answer, ok, startTarget } from '#test/support/target.ts';
import { openWorld } from '#test/support/world.ts';

const database = useDatabase(test);
const settleSeconds = 3;

type Held = { id: string; monitor_id: string; state: string; held: boolean; released_at: string | null };

test('an outage over the end of maintenance is told once it has settled, one that ended inside is not', async t => {
  await using hook = await startTarget(ok());
  await using brief = await startTarget(ok());
  const world = await openWorld(t, database(), ['mnt-a', 'mnt-b', 'mnt-c']);
  const { api, target } = world;
  const [lasting, short] = [await world.monitor({ name: 'lasting' }), await world.monitor({ url: brief.url })];
  const kinds = ['alert.opened', 'alert.resolved'];
  t.is((await api('POST', '/v0/webhooks', { url: hook.url, kinds })).status, 201);
  const window = {
    title: 'Move of the database',
    scope: { monitor_ids: [lasting, short] },
    starts_at: new Date(Date.now() - minuteMs).toISOString(),
    ends_at: new Date(Date.now() + 60 * minuteMs).toISOString(),
    settle_seconds: settleSeconds,
  };
  const planned = await api('POST', '/v0/maintenances', window);
  t.is(planned.status, 201);
  target.behaviour = answer(503);
  brief.behaviour = answer(503);
  const alerts = async () => (await api('GET', '/v0/alerts')).body.data as Held[];
  await until(async () => (await alerts()).filter(({ held }) => held).length, 2);
  brief.behaviour = ok();
  await until(async () => world.status(short), 'up');
  t.is(await world.status(lasting), 'down', 'maintenance changes no verdict');
  const ended = await api('POST', `/v0/maintenances/${planned.body.id}/end`);
  t.is(ended.status, 200);
  const [occurrence] = (await api('GET', `/v0/maintenances/${planned.body.id}/occurrences`)).body.data;
  const released = await until(
    async () => (await alerts()).find(({ monitor_id }) => monitor_id === lasting),
    alert => alert?.released_at != null,
  );
  t.is(Date.parse(released?.released_at ?? ''), Date.parse(occurrence.ends_at) + settleSeconds * secondMs);
  t.like(released, { state: 'open', held: false });
  await hook.requested(1);
  target.behaviour = ok('{"ok":true}');
  await until(async () => world.status(lasting), 'up');
  await hook.requested(2);
  const told = hook.requests.map(({ body }) => JSON.parse(body) as { type: string; data: { alert: { id: string } } });
  t.deepEqual(
    told.map(({ type }) => type),
    ['alert.opened', 'alert.resolved'],
  );
  t.deepEqual(new Set(told.map(({ data }) => data.alert.id)), new Set([released?.id]));
  const uptime = (await api('GET', `/v0/monitors/${short}/uptime?granularity=hour`)).body;
  const sum = (name: string) =>
    uptime.data.reduce((total: number, bucket: Record<string, number>) => total + (bucket[name] ?? 0), 0);
  t.is(sum('down_seconds'), 0, 'all of it was inside');
});
