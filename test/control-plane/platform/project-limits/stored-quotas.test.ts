import test from 'ava';
import { auditBytesPerDay } from '#control-plane/platform/audit/record.ts';
import { budgetKey } from '#control-plane/platform/db/daily-budget-store.ts';
import { planQuotas, type Resource, resources, storedMaximum } from '#control-plane/platform/project-limits/quota.ts';
import { setQuota } from '#control-plane/platform/project-limits/quota-store.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openStatusWorld, type StatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);

/** Resources whose deleted, revoked or ended rows stay: how one is made and ended. */
const cases: Partial<Record<Resource, (world: StatusWorld, n: number) => Promise<{ status: number; body: unknown }>>> =
  {
    monitors: async ({ api, monitor }, n) => {
      const { regions } = (await api('GET', `/v0/monitors/${monitor.id}`)).body;
      const body = { name: `m${n}`, url: 'https://example.com/', interval_seconds: 60, regions };
      return made(api, '/v0/monitors', body);
    },
    components: ({ api, page }, n) => made(api, '/v0/components', { status_page_id: page.id, name: `c${n}` }),
    incidents: ({ api, page }) => made(api, '/v0/incidents', { title: 'x', severity: 'p2', status_page_id: page.id }),
    maintenances: ({ api }) => {
      const [starts_at, ends_at] = [2, 1].map(hours => new Date(Date.now() - hours * 3_600_000).toISOString());
      return api('POST', '/v0/maintenances', { title: 'over', scope: { selector: '*' }, starts_at, ends_at });
    },
  };

async function made(api: StatusWorld['api'], path: string, body: object) {
  const reply = await api('POST', path, body);
  if (reply.status === 201) await api('DELETE', `${path}/${reply.body.id}`);
  return reply;
}

for (const [resource, make] of Object.entries(cases) as [Resource, NonNullable<(typeof cases)[Resource]>][])
  test(`what was deleted or is over of ${resource} takes room until it is deleted for good`, async t => {
    const world = await openStatusWorld(t, databaseOf());
    // Nothing else of the project counts: of what is stored a hundred are let in beside the quota.
    await withSql(databaseOf(), sql => setQuota(sql, world.projectId, resource, 2));
    const most = storedMaximum(resource, 2) ?? 0;
    let stored = 0;
    let refused = { status: 0, body: {} as unknown };
    for (let n = 0; n <= most && refused.status === 0; n++) {
      const reply = await make(world, n);
      if (reply.status === 201) stored += 1;
      else refused = reply;
    }
    t.true(stored <= most && stored >= most - 2, `${stored} of ${most}`);
    t.like(refused, { status: 409, body: { code: 'limit_reached', resource, limit: most, used: most } });
  });

test('what is stored of a resource is more than its quota, for each plan', t => {
  for (const quotas of Object.values(planQuotas))
    for (const resource of resources)
      t.true((storedMaximum(resource, quotas[resource]) ?? Infinity) > quotas[resource]);
});

test('once a project has written much into its audit in a day, entries say what changed by size and hash', async t => {
  const { api, page, projectId } = await openStatusWorld(t, databaseOf());
  const patch = async (text: string) => {
    t.is((await api('PATCH', `/v0/status-pages/${page.id}`, { description: text })).status, 200);
    return (await api('GET', '/v0/audit?limit=1')).body.data[0];
  };
  const long = 'x'.repeat(3000);
  t.is((await patch(long)).after.description, long);
  await withSql(
    databaseOf(),
    sql => sql.run`
      update ingest_buckets set tokens = ${-auditBytesPerDay}
      where key = ${budgetKey('audit', projectId, Date.now())}`,
  );
  const entry = await patch(`${long}y`);
  t.is(entry.action, 'status_page.updated');
  t.regex(entry.before.description, /^cut: 3002 bytes of JSON, sha256 [0-9a-f]{8}$/);
  t.regex(entry.after.description, /^cut: 3003 bytes of JSON, sha256 [0-9a-f]{8}$/);
  t.is((await patch('short')).after.description, 'short');
});

test('former texts of an incident’s updates are stored up to a million characters', async t => {
  const { api, page } = await openStatusWorld(t, databaseOf());
  const body = {
    title: 'x',
    severity: 'p2',
    status_page_id: page.id,
    initial_update: { state: 'investigating', body: 'x'.repeat(25_000) },
  };
  const { id, updates } = (await api('POST', '/v0/incidents', body)).body;
  const edit = (n: number) =>
    api('PATCH', `/v0/incidents/${id}/updates/${updates[0].id}`, { body: `${n}${'x'.repeat(24_000)}` });
  let [edits, status] = [0, 200];
  for (; status === 200 && edits < 60; edits++) ({ status } = await edit(edits));
  t.is(status, 409);
  t.true(edits > 35 && edits < 45, String(edits));
  t.is((await api('POST', `/v0/incidents/${id}/updates`, { state: 'monitoring', body: 'more' })).status, 201);
});

test('updates reach subscribers as messages up to a hundred times their quota within a day', async t => {
  const { api, page, projectId } = await openStatusWorld(t, databaseOf());
  const subscriber = { channel: 'webhook', url: 'https://example.com/hook' };
  t.is((await api('POST', `/v0/status-pages/${page.id}/subscribers`, subscriber)).status, 201);
  const { id } = (await api('POST', '/v0/incidents', { title: 'x', severity: 'p2', status_page_id: page.id })).body;
  const post = () => api('POST', `/v0/incidents/${id}/updates`, { state: 'identified', body: 'x' });
  t.is((await post()).status, 201);
  await withSql(databaseOf(), async sql => {
    await setQuota(sql, projectId, 'subscribers', 1);
    await sql.run`
      update ingest_buckets set tokens = -98 where key = ${budgetKey('deliveries', projectId, Date.now())}`;
  });
  t.deepEqual([(await post()).status, (await post()).status], [201, 201]);
  const refused = await post();
  t.like(refused, { status: 409, body: { code: 'limit_reached', maximum: 100 } });
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const window = { title: 'x', scope: { status_page_ids: [page.id] }, starts_at: at(1), ends_at: at(2) };
  t.is((await api('POST', '/v0/maintenances', { ...window, announced: true })).status, 409);
  t.is((await api('POST', '/v0/maintenances', window)).status, 201, 'what is announced to no one is free');
  t.is((await api('PATCH', `/v0/incidents/${id}`, { title: 'y' })).status, 200);
});
