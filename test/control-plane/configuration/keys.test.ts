import test, { type ExecutionContext } from 'ava';
import { dayMs } from '#shared/duration.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

type Fields = Record<string, unknown>;

async function openWorld(t: ExecutionContext) {
  const world = await openMonitorWorld(t, databaseOf());
  const plan = async (text: string, options: Fields = {}) => {
    const planned = await world.api('POST', '/v0/config/plan', { document: text, ...options });
    t.is(planned.status, 200, JSON.stringify(planned.body));
    return planned.body;
  };
  const apply = (id: string) => world.api('POST', '/v0/config/apply', { plan_id: id });
  const regions = world.regions.slice(0, 3).join(', ');
  const defaults = `{ monitors: { interval_seconds: 60, regions: [${regions}] } }`;
  const head = `upquorum: 1\nmanager: git-ops\ndefaults: ${defaults}\n`;
  return { ...world, plan, apply, head };
}

test.serial('clients name resources of every type with a key of their own, once, and take it away', async t => {
  const { api, body, projectId } = await openWorld(t);
  const make = async (path: string, sent: Fields): Promise<Fields> => {
    const made = await api('POST', `/v0/${path}`, sent);
    t.is(made.status, 201, JSON.stringify(made.body));
    return made.body;
  };
  const channel = { name: 'Ops', type: 'webhook', config: { url: 'https://hooks.example.com/' } };
  const { id: channelId } = await make('channels', { ...channel, key: 'ops' });
  const { id: pageId } = await make('status-pages', { name: 'Acme', slug: `k-${projectId.slice(-8)}`, key: 'acme' });
  const { id: otherPage } = await make('status-pages', { name: 'Other', slug: `o-${projectId.slice(-8)}` });
  const at = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
  const times = { starts_at: at(2), ends_at: at(3) };
  const bodies: [string, Fields][] = [
    ['monitors', body],
    ['flows', { name: 'Sign up', steps: [{ event: 'open' }, { event: 'done' }] }],
    ['reports', { name: 'Weekly', items: [{ title: 'Paid', type: 'trend', event: 'paid' }] }],
    ['components', { status_page_id: pageId, name: 'API' }],
    ['routes', { name: 'All', steps: [{ after_minutes: 0, channel_ids: [channelId] }] }],
    ['maintenances', { title: 'Weekly', ...times, scope: { selector: 'a=b' } }],
  ];
  for (const [path, sent] of bodies) {
    const made = await make(path, { ...sent, key: 'one' });
    t.like(made, { key: 'one', managed_by: null }, path);
    t.like((await api('GET', `/v0/audit?subject=${made.id}`)).body.data[0].after, { key: 'one' }, path);
    const again = await api('POST', `/v0/${path}`, { ...sent, name: 'Two', key: 'one' });
    if (path !== 'maintenances') t.like(again, { status: 409, body: { code: 'name_taken' } }, path);
    const other = await api('PATCH', `/v0/${path}/${made.id}`, { key: 'other.key' });
    t.like(other, { status: 200, body: { key: 'other.key', updated_at: made.updated_at } }, path);
    const [entry] = (await api('GET', `/v0/audit?subject=${made.id}`)).body.data;
    t.like(entry, { before: { key: 'one' }, after: { key: 'other.key' } }, path);
    t.like((await api('PATCH', `/v0/${path}/${made.id}`, { key: null })).body, { key: null }, path);
  }
  const { data } = (await api('GET', '/v0/channels')).body;
  t.is(data[0].key, 'ops');
  t.like(await api('PATCH', `/v0/channels/${channelId}`, { key: 'Ops!' }), {
    status: 422,
    body: { errors: [{ pointer: '/key', code: 'format' }] },
  });
  t.like((await api('POST', '/v0/channels', { ...channel, name: 'Two', managed_by: 'me' })).body.errors[0], {
    pointer: '/managed_by',
    code: 'read_only',
  });
  // Keys of components are of their page, and a key is free again once its resource is deleted.
  const component = { name: 'API', key: 'web' };
  const first = await make('components', { ...component, status_page_id: pageId });
  await make('components', { ...component, status_page_id: otherPage });
  t.is((await api('DELETE', `/v0/components/${first.id}`)).status, 204);
  await make('components', { ...component, status_page_id: pageId });
  const dry = await api('PATCH', `/v0/monitors/${(await make('monitors', { ...body, name: 'x' })).id}?dry_run=true`, {
    key: 'x',
    timeout_ms: 4000,
  });
  t.is(dry.status, 200, JSON.stringify(dry.body));
});

test.serial('a key given by the API is adopted; a managed one is not for others to change', async t => {
  const { api, post, plan, apply, head } = await openWorld(t);
  const made = (await post({ name: 'API', url: 'https://example.com/', key: 'api' })).body;
  const text = `${head}monitors:\n  - { key: api, name: New, url: "https://example.com/" }\n`;
  t.like((await plan(text)).actions[0], { action: 'conflict', reason: 'exists_unmanaged', id: made.id });
  const adopting = await plan(text, { adopt: true });
  t.like(adopting.actions[0], { action: 'adopt', id: made.id, drift: null });
  t.is((await api('PATCH', `/v0/monitors/${made.id}`, { key: 'other' })).status, 200);
  t.is((await apply(adopting.id)).body.code, 'plan_stale');
  t.is((await api('PATCH', `/v0/monitors/${made.id}`, { key: 'api' })).status, 200);
  t.is((await apply((await plan(text, { adopt: true })).id)).status, 200);
  const refused = await api('PATCH', `/v0/monitors/${made.id}`, { key: 'mine' });
  t.like(refused, { status: 422, body: { errors: [{ pointer: '/key', code: 'read_only' }] } });
  await api('POST', '/v0/config/release', { type: 'monitors', id: made.id });
  t.like((await api('PATCH', `/v0/monitors/${made.id}`, { key: 'mine' })).body, { key: 'mine', managed_by: null });
});

test.serial('webhooks get an apply, once', async t => {
  const { api, plan, apply, head, projectId } = await openWorld(t);
  const url = 'https://hooks.example.com/';
  const wanted = (await api('POST', '/v0/webhooks', { url, kinds: ['config.applied'] })).body;
  await api('POST', '/v0/webhooks', { url, kinds: ['alert.opened'] });
  const planned = await plan(`${head}monitors:\n  - { key: api, name: API, url: "https://example.com/" }\n`);
  for (const _ of [1, 2]) t.is((await apply(planned.id)).status, 200);
  const { applied_at } = (await api('GET', `/v0/config/plans/${planned.id}`)).body;
  const rows = await withSql(
    databaseOf(),
    sql => sql.rows<{ recipient: string; payload: Fields }>`
      select recipient, payload
      from deliveries
      where project_id = ${projectId}`,
  );
  const { counts, manager } = planned;
  const payload = { type: 'config.applied', timestamp: applied_at };
  t.deepEqual(rows, [
    { recipient: wanted.id, payload: { ...payload, data: { plan_id: planned.id, manager, counts, applied_at } } },
  ]);
});

test.serial('what a newer version has written is not changed by one that does not know it', async t => {
  const { api, post, plan, apply, head } = await openWorld(t);
  const text = `${head}monitors:
  - { key: a, name: A, url: "https://example.com/" }
  - { key: b, name: B, kind: heartbeat, interval_seconds: 60 }
`;
  t.is((await apply((await plan(text)).id)).status, 200);
  const { data } = (await api('GET', '/v0/monitors')).body;
  const idOf = (wanted: string) => data.find(({ key }: Fields) => key === wanted).id;
  const changed = text.replaceAll(/name: (.)/g, 'name: New $1');
  t.like((await plan(changed)).counts, { update: 2 });
  await withSql(databaseOf(), async sql => {
    await sql.run`
      update monitors
      set needs = 'gateway.3 tea.1', able_regions = regions, regions = '{}'
      where id = ${idOf('a')}`;
    await sql.run`update monitors set alert_rules = alert_rules || '{"tea": {}}' where id = ${idOf('b')}`;
  });
  t.like(await plan(text), { counts: { unchanged: 2 } });
  const conflicts = await plan(changed);
  t.like(conflicts, { applicable: false, reasons: ['conflicts'], counts: { conflict: 2 } });
  t.like(conflicts.actions, [{ reason: 'newer_version' }, { reason: 'newer_version' }]);
  t.is((await post({ name: 'C' })).status, 201);
});
