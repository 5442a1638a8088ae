import test from 'ava';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { ok, startTarget } from '#test/support/target.ts';
import { openWorld } from '#test/support/world.ts';

const database = useDatabase(test);

test('an assertion that only warns is neither the cause of a group nor what failed in metrics', async t => {
  await using target = await startTarget(ok('good'));
  await using messages = await startTarget(ok('{}'));
  const world = await openWorld(t, database(), ['decisive-eu']);
  const { api } = world;
  const config = { url: `${messages.url}hook`, template: '{"title":"{{title}}"}' };
  const channel = await api('POST', '/v0/channels', { type: 'http', name: 'chat', config });
  t.is(channel.status, 201, JSON.stringify(channel.body));
  const steps = [{ after_minutes: 0, channel_ids: [channel.body.id] }];
  t.is((await api('POST', '/v0/routes', { name: 'all', steps })).status, 201);
  const assertions = [
    { type: 'header', name: 'x-a', operator: 'eq', value: 'b', on_fail: 'warn' },
    { type: 'body_contains', operator: 'contains', value: 'bad' },
  ];
  const settings = { url: target.url, interval_seconds: 10, regions: world.regions };
  for (const name of ['shop', 'stock']) {
    const made = await api('POST', '/v0/monitors', { name, ...settings, assertions });
    t.is(made.status, 201, JSON.stringify(made.body));
  }
  const groups = await until(
    async () => (await api('GET', '/v0/alert-groups')).body.data as { cause: { error_code: string } | null }[],
    found => (found[0]?.cause ?? null) !== null,
  );
  t.is(groups[0]?.cause?.error_code, 'assertion:body_contains', JSON.stringify(groups));
  const metrics = (await api('GET', '/v0/metrics')).body as string;
  t.true(metrics.includes('reason="assertion:body_contains"'), metrics);
  t.false(metrics.includes('reason="assertion:header"'));
});
