import test from 'ava';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { apiOf, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { answer, startTarget } from '#test/support/target.ts';

const databaseOf = useDatabase(test);

test('a token sees and replays deliveries of what it may read and write', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const { api, made, target } = world;
  target.behaviour = answer(404);
  const gone = await startTarget(answer(410));
  t.teardown(() => gone[Symbol.asyncDispose]());
  const kinds = ['alert.opened', 'incident.opened', 'maintenance.started'];
  for (const kind of kinds) await made('/v0/webhooks', { url: `${gone.url}${kind}`, kinds: [kind] });
  const channel = await world.channel('pager');
  await made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids: [channel] }] });
  const monitor = await world.monitor('a');
  const [alert] = await world.open([monitor], { severity: 'p1' });
  const page = (await made('/v0/status-pages', { name: 'Shop', slug: `shop-${world.projectId.slice(-8)}` })).id;
  await made('/v0/incidents', {
    status_page_id: page,
    title: 'Checkout fails',
    severity: 'p1',
    initial_update: { state: 'investigating', body: 'first' },
  });
  const now = world.clock.now();
  await made('/v0/maintenances', {
    title: 'Upgrade',
    scope: { monitor_ids: [await world.monitor('b')] },
    starts_at: new Date(now - 60_000).toISOString(),
    ends_at: new Date(now + 3_600_000).toISOString(),
  });
  type Shown = { id: string; subject: string; channel: string; state: string };
  const shown = async (as = api) => (await as('GET', '/v0/deliveries?limit=200')).body.data as Shown[];
  const all = await until(shown, rows => rows.length >= 4 && rows.every(row => row.state === 'failed'));
  const topicOf = ({ subject, channel: type }: Shown) => (type === 'http' ? 'channel' : (subject.split('.')[0] ?? ''));
  const topics = (rows: readonly Shown[]) => [...new Set(rows.map(topicOf))].sort();
  t.deepEqual(topics(all), ['alert', 'channel', 'incident', 'maintenance']);
  const as = async (...scopes: string[]) => {
    const { token } = await made('/v0/tokens', { name: scopes.join(' '), scopes });
    return apiOf(world.replica.url, token);
  };
  t.deepEqual(topics(await shown(await as('incidents:read'))), ['incident']);
  t.deepEqual(topics(await shown(await as('incidents:read', 'alerts:read'))), ['alert', 'channel', 'incident']);
  t.deepEqual(topics(await shown(await as('incidents:read', 'maintenances:read'))), ['incident', 'maintenance']);

  const replays = async (...scopes: string[]) => {
    const caller = await as(...scopes);
    const replayed: string[] = [];
    for (const row of all) {
      const { status, body } = await caller('POST', `/v0/deliveries/${row.id}/replay`);
      if (status !== 403) replayed.push(topicOf(row));
      else t.regex(body.detail, /needs the scope (alerts|maintenances):write$/);
    }
    return [...new Set(replayed)].sort();
  };
  t.deepEqual(await replays('incidents:write'), ['incident']);
  t.deepEqual(await replays('incidents:write', 'alerts:write'), ['alert', 'channel', 'incident']);
  t.deepEqual(await replays('incidents:write', 'maintenances:write'), ['incident', 'maintenance']);

  const promote = `/v0/alerts/${alert?.id}/promote`;
  const body = { status_page_id: page };
  const refused = await (await as('incidents:write', 'incidents:read'))('POST', promote, body);
  t.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
  t.is((await (await as('incidents:write', 'alerts:read'))('POST', promote, body)).status, 201);
});
