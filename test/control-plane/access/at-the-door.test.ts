import test, { type ExecutionContext } from 'ava';
import { roles } from '#control-plane/platform/projects/roles.ts';
import { newId } from '#shared/ids.ts';
import { listen } from '#test/support/change-stream.ts';
import { type Api, apiOf, createTenant, type Reply, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { addressIn, fillProject, secretName } from '#test/support/filled-project.ts';
import { personOf, type SignedIn } from '#test/support/people.ts';
import { leastRole, needsOf } from '#test/support/role-table.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const nobodys = '0'.repeat(26);

type Method = Parameters<Api>[0];
type Operation = { operationId: string; security?: Record<string, unknown>[] };

/** Every operation that the installation's own document names, but those of which a stream or a token is the point. */
async function operationsOf(url: string): Promise<{ method: Method; path: string }[]> {
  const { paths } = (await apiOf(url, '')('GET', '/v0/openapi.json')).body as {
    paths: Record<string, Record<string, Operation>>;
  };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => ({ method: method.toUpperCase() as Method, path })),
  );
  return all.filter(({ method, path }) => path.startsWith('/v0/') && !elsewhere.has(`${method} ${path}`));
}
const elsewhere = new Set(['GET /v0/changes', 'POST /v0/events', 'GET /v0/openapi.json']);

async function openWorld(t: ExecutionContext) {
  const replica = await sharedReplica(databaseOf(), { dnsServers: ['127.0.0.1:9'] });
  const person = (options: Parameters<typeof personOf>[3]) => personOf(t, databaseOf(), replica.url, options);
  return { url: replica.url, person, operations: await operationsOf(replica.url) };
}

const body = (method: Method, given: unknown = {}) => (method === 'GET' || method === 'DELETE' ? undefined : given);
/** What an answer says, whoever asked and when. */
const saidBy = ({ status, body: { request_id: _, instance: __, ...rest } }: Reply) => ({ status, ...rest });

test('each operation is open to the roles that the table says, writes too, and to no other', async t => {
  const { url, person, operations } = await openWorld(t);
  const { projectId } = await createTenant(databaseOf());
  const people: SignedIn[] = [];
  for (const role of roles) people.push(await person({ name: role, project: projectId, role }));
  people.push(await person({ name: 'Operator', project: projectId, role: 'admin', operator: true }));
  t.true(operations.length > 180);
  for (const { method, path } of operations) {
    const needs = needsOf(method, path);
    const what = `${method} ${path}`;
    if (needs === undefined) return t.fail(`${what} has no rule in test/support/role-table.ts`);
    const asked = path.replaceAll(/\{\w+\}/g, 'none');
    const replies = await Promise.all(
      people.map(one => one.call(projectId, method, asked, body(method, bodies[what]))),
    );
    for (const [rank, { status, body }] of replies.entries()) {
      const role = roles[Math.min(rank, roles.length - 1)];
      const isOperator = rank === roles.length;
      const isOpen =
        needs === 'operator'
          ? isOperator
          : needs.every(scope => {
              const least = leastRole(scope);
              return least !== null && roles.indexOf(least) <= rank;
            });
      t.is(body?.code === 'insufficient_scope', !isOpen, `${isOperator ? 'operator' : role} ${what}: ${status}`);
      t.true(isOpen ? status < 500 : status === 403, `${role} ${what}: ${status}`);
    }
  }
  t.is((await apiOf(url, '')('GET', '/v0/me')).status, 401);
});

/** What operations ask for that look at what they name, or at who calls, only after their body. */
const bodies: Readonly<Record<string, unknown>> = {
  'PATCH /v0/members/{person_id}': { role: 'viewer' },
  'PATCH /v0/me/passkeys/{id}': { name: 'Mine' },
  'POST /v0/monitors/{id}/backtest': { changes: {} },
  'POST /v0/monitors/{id}/history': {
    source: 'kuma',
    from: '2026-03-04T09:00:00Z',
    until: '2026-03-04T10:00:00Z',
    rows: [{ since: '2026-03-04T09:00:00Z', verdict: 'up' }],
  },
  'POST /v0/maintenances/{id}/extend': { ends_at: new Date(Date.now() + 9e6).toISOString() },
  'POST /v0/maintenances/{id}/updates': { body: 'Going well.' },
  'PATCH /v0/maintenances/{id}/updates/{update_id}': { body: 'Going well.' },
  'POST /v0/incidents/{id}/updates': { state: 'identified', body: 'Found.' },
  'PATCH /v0/incidents/{id}/updates/{update_id}': { body: 'Found.' },
  'POST /v0/incidents/{id}/resolve': { body: 'Over.' },
  'POST /v0/status-pages/{id}/domains': { domain: 'other.example' },
  'POST /v0/status-pages/{id}/subscribers': { email: 'a@example.com', consent: 'form' },
  'POST /v0/status-pages/{id}/subscribers/import': { consent: 'form', subscribers: [{ email: 'a@example.com' }] },
};

test('a member of a project reaches nothing of another, by any operation, nor learns that it is there', async t => {
  const { url, person, operations } = await openWorld(t);
  const own = await createTenant(databaseOf());
  const other = await createTenant(databaseOf());
  const ada = await person({ name: 'Ada', project: own.projectId });
  const stream = await listen(t, url, { ...ada.headers, 'x-project-id': own.projectId });
  const byOther = apiOf(url, other.token);
  await fillProject(databaseOf(), other.projectId, byOther);
  const bea = await person({ name: secretName, operator: true, project: other.projectId });
  await bea.call(null, 'POST', '/v0/me/tokens', {
    project_id: other.projectId,
    name: secretName,
    scopes: ['walls:read'],
  });
  await withSql(
    databaseOf(),
    sql => sql.run`
      insert into passkeys
        (id, person_id, credential_id, public_key, counter, transports, name, synced, created_at, last_used_at)
      values (${newId('pky')}, ${bea.id}, '\\x00', '\\x00', 0, '{}', ${secretName}, false, now(), now())`,
  );
  const inOther: Api = (method, path, sent) => bea.call(other.projectId, method, path, sent);
  const page = (await ada.call(own.projectId, 'POST', '/v0/status-pages', { name: 'Own', slug: 'own-page' })).body.id;
  const promote = { 'POST /v0/alerts/{alert_id}/promote': { status_page_id: page } };
  const refused = new Set<string>();
  const names = [secretName, other.projectId, bea.id];
  for (const { method, path } of operations) {
    const what = `${method} ${path}`;
    const sent = body(method, { ...bodies, ...promote }[what]);
    const address = await addressIn(inOther, { path });
    const unknown = address.replaceAll(/_[0-9a-z]{26}/g, `_${nobodys}`);
    const [theirs, nobody, foreign, none] = await Promise.all([
      ada.call(own.projectId, method, address, sent),
      ada.call(own.projectId, method, unknown, sent),
      ada.call(other.projectId, method, address, sent),
      ada.call(`proj_${nobodys}`, method, address, sent),
    ]);
    t.deepEqual(saidBy(foreign), saidBy(none), `${what}, inside the other project`);
    const text = JSON.stringify([theirs.body, foreign.body]).replaceAll(address, '');
    for (const name of names) t.false(text.includes(name), `${what}: ${text.slice(0, 300)}`);
    if (address === unknown || path.includes('{external_id}')) continue;
    t.deepEqual(saidBy(theirs), saidBy(nobody), what);
    t.true([403, 404].includes(theirs.status), `${what}: ${theirs.status} ${JSON.stringify(theirs.body)}`);
    refused.add(what);
  }
  t.true(refused.size > 80, `${refused.size}`);
  const idIn = async (collection: string) =>
    (await addressIn(inOther, { path: `${collection}/{id}` })).split('/').at(-1);
  /** The same without what is the other project's. */
  const hidden = (text: string) =>
    text
      .replaceAll(/([a-z]{2,5})_[0-9a-z]{26}/g, (id, prefix) => (id === page ? id : `${prefix}_${nobodys}`))
      .replaceAll(secretName, 'nobody');
  const faults: string[] = [];
  for (const [method, path, sent] of await namingOthers(idIn, page)) {
    const what = `${method} ${path} ${JSON.stringify(sent)}`;
    const theirs = await ada.call(own.projectId, method, path, sent);
    const unknown = sent === undefined ? undefined : JSON.parse(hidden(JSON.stringify(sent)));
    const nobody = await ada.call(own.projectId, method, hidden(path), unknown);
    const [seen = '', wanted = ''] = [theirs, nobody].map(reply => hidden(JSON.stringify(saidBy(reply))));
    t.is(seen, wanted, what);
    if (!/"code":"(unknown_reference|not_found)"|"data":\[\]/.test(seen)) faults.push(`${what}: ${seen}`);
  }
  t.deepEqual(faults, []);
  // Nothing that happened in the other project was heard of in one's own.
  const last = await ada.call(own.projectId, 'POST', '/v0/flows', {
    name: 'x',
    steps: [{ event: 'a' }, { event: 'b' }],
  });
  await until(stream.said, text => text.includes(last.body.id));
  const audit = JSON.stringify((await inOther('GET', '/v0/audit?limit=200')).body);
  const ids = new Set(audit.match(/\b[a-z]{2,5}_[0-9a-z]{26}\b/g));
  t.true(ids.size > 20);
  t.deepEqual(
    [...ids].filter(id => stream.said().includes(id)),
    [],
  );
});

/** What names a thing of the other project in its body or its filter. */
async function namingOthers(
  idIn: (collection: string) => Promise<string | undefined>,
  page: string,
): Promise<[Method, string, unknown][]> {
  const [monitor, theirPage, component] = [
    await idIn('/v0/monitors'),
    await idIn('/v0/status-pages'),
    await idIn('/v0/components'),
  ];
  const [channel, flow, route] = [await idIn('/v0/channels'), await idIn('/v0/flows'), await idIn('/v0/routes')];
  const incident = { title: 'x', severity: 'p2', initial_update: { state: 'investigating', body: 'x' } };
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const window = (scope: object) => ({ title: 'x', scope, starts_at: at(1), ends_at: at(2) });
  return [
    ['GET', `/v0/alerts?monitor_id=${monitor}`, undefined],
    ['GET', `/v0/incidents?status_page_id=${theirPage}`, undefined],
    ['GET', `/v0/components?status_page_id=${theirPage}`, undefined],
    ['POST', '/v0/components', { status_page_id: theirPage, name: 'x' }],
    ['POST', '/v0/components', { status_page_id: page, name: 'x', monitor_ids: [monitor] }],
    ['POST', '/v0/components/order', { status_page_id: theirPage, components: [{ id: component, group: null }] }],
    ['POST', '/v0/components/order', { status_page_id: page, components: [{ id: component, group: null }] }],
    ['POST', '/v0/incidents', { ...incident, status_page_id: theirPage }],
    ['POST', '/v0/incidents', { ...incident, status_page_id: page, affected_components: [component] }],
    ['POST', '/v0/maintenances', window({ monitor_ids: [monitor] })],
    ['POST', '/v0/maintenances', window({ component_ids: [component] })],
    ['POST', '/v0/maintenances/preview', window({ monitor_ids: [monitor] })],
    ['POST', '/v0/monitors/bulk', { ids: [monitor], action: 'pause' }],
    ['POST', '/v0/routes', { name: 'x', steps: [{ after_minutes: 0, channel_ids: [channel] }] }],
    ['POST', '/v0/routes/order', { ids: [route] }],
    ['POST', '/v0/reports', { name: 'x', items: [{ title: 'x', type: 'funnel', flow_id: flow }] }],
    ['PATCH', `/v0/status-pages/${page}`, { canonical_domain: `${secretName}.example` }],
    ['POST', '/v0/me/tokens', { project_id: await idIn('/v0/projects'), name: 'x', scopes: ['monitors:read'] }],
  ];
}
