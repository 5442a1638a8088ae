import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import { auditActions } from '#control-plane/platform/audit/actions.ts';
import type { Endpoint } from '#control-plane/platform/http/endpoint/endpoint.ts';
import type { AuditView } from '#control-plane/platform/projects/audit.ts';
import { insertFailedDelivery, insertOpenAlert } from '#test/support/audit-rows.ts';
import { type Api, allowImports, apiOf, createRegions, createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
/** Sends or shows something, and stores nothing that a client sets. */
const unlisted = /\/(test|match|plan)$|^POST \/v0\/alert-groups/;

type World = {
  replica: RunningControlPlane;
  api: Api;
  projectId: string;
  region: string;
  /** A secret that no entry may show. */
  secret(): string;
  secrets: string[];
  /** Entries that were looked at. */
  known: Set<string>;
};

/** A call that a route answers with 2xx: which path, which body, and how often it can be repeated with a new entry. */
type Example = { path: string; body?: object; entries?: number };

/** One call for each route that changes something. A new route needs a line here. */
const examples: Readonly<Record<string, (world: World) => Promise<Example>>> = {
  'PATCH /v0/project': async () => ({ path: '/v0/project', body: { name: 'Renamed' } }),
  'POST /v0/tokens': async () => ({ path: '/v0/tokens', body: { name: 'made', scopes: ['monitors:read'] } }),
  'DELETE /v0/tokens/{id}': async ({ api }) => {
    const { body } = await api('POST', '/v0/tokens', { name: 'short', scopes: ['*'] });
    return { path: `/v0/tokens/${body.id}` };
  },
  'POST /v0/components': async world => {
    const monitor_ids = [await makeMonitor(world)];
    return { path: '/v0/components', body: { status_page_id: await makePage(world), name: 'API', monitor_ids } };
  },
  'PATCH /v0/components/{id}': async world => {
    const monitor_ids = [await makeMonitor(world)];
    return { path: `/v0/components/${await makeComponent(world)}`, body: { name: 'Site', monitor_ids } };
  },
  'POST /v0/components/order': async world => {
    const status_page_id = await makePage(world);
    const make = async (name: string): Promise<string> =>
      (await world.api('POST', '/v0/components', { status_page_id, name })).body.id;
    const ids = [await make('API'), await make('Site')];
    const components = ids.reverse().map(id => ({ id, group: 'Shop' }));
    return { path: '/v0/components/order', body: { status_page_id, components } };
  },
  'DELETE /v0/components/{id}': async world => ({ path: `/v0/components/${await makeComponent(world)}` }),
  'POST /v0/monitors': async world => ({ path: '/v0/monitors', body: monitorBody(world) }),
  'PATCH /v0/monitors/{id}': async world => {
    const headers = { authorization: world.secret() };
    return { path: `/v0/monitors/${await makeMonitor(world)}`, body: { headers, labels: { env: 'prod' } } };
  },
  'POST /v0/monitors/{id}/rotate-secret': async world => {
    const job = { name: 'job', kind: 'heartbeat', interval_seconds: 60, heartbeat: {} };
    const { id } = (await world.api('POST', '/v0/monitors', job)).body;
    return { path: `/v0/monitors/${id}/rotate-secret`, body: {} };
  },
  'POST /v0/signal-key/rotate': async () => ({ path: '/v0/signal-key/rotate', body: {} }),
  'DELETE /v0/monitors/{id}': async world => ({ path: `/v0/monitors/${await makeMonitor(world)}` }),
  'POST /v0/monitors/{id}/pause': async world => ({ path: `/v0/monitors/${await makeMonitor(world)}/pause` }),
  'POST /v0/monitors/{id}/resume': async world => {
    const path = `/v0/monitors/${await makeMonitor(world)}`;
    await world.api('POST', `${path}/pause`);
    return { path: `${path}/resume` };
  },
  'POST /v0/monitors/bulk': async world => {
    const ids = [await makeMonitor(world), await makeMonitor(world)];
    return { path: '/v0/monitors/bulk', body: { ids, action: 'add_labels', labels: { a: 'b' } }, entries: 2 };
  },
  'POST /v0/monitors/{id}/backtest': async world => {
    return { path: `/v0/monitors/${await makeMonitor(world)}/backtest`, body: { changes: {} } };
  },
  'POST /v0/monitors/{id}/check-now': async world => {
    return { path: `/v0/monitors/${await makeMonitor(world)}/check-now`, body: {} };
  },
  'POST /v0/monitors/{id}/history': async world => {
    const from = Date.now() - 5 * 86_400_000;
    const time = (ms: number) => new Date(from + ms).toISOString();
    const rows = [{ since: time(0), verdict: 'up' }];
    const body = { source: 'kuma', from: time(0), until: time(1000), rows };
    return { path: `/v0/monitors/${await makeMonitor(world)}/history`, body };
  },
  'POST /v0/alerts/{id}/acknowledge': async world => ({ path: `/v0/alerts/${await makeAlert(world)}/acknowledge` }),
  'POST /v0/incidents': async world => ({ path: '/v0/incidents', body: await incidentBody(world) }),
  'POST /v0/incidents/import': async world => {
    const { status_page_id, title, severity } = await incidentBody(world);
    const [started_at, posted_at] = ['2026-03-04T09:00:00Z', '2026-03-04T10:00:00Z'];
    const updates = [{ state: 'resolved', body: 'Over.', posted_at }];
    const incident = { external_id: 'x1', title, severity, impact: 'none', started_at, updates };
    return { path: '/v0/incidents/import', body: { status_page_id, source: 'Statuspage', incidents: [incident] } };
  },
  'PATCH /v0/incidents/{id}': async world => ({ path: await makeIncident(world), body: { title: 'Other' } }),
  'DELETE /v0/incidents/{id}': async world => ({ path: await makeIncident(world) }),
  'POST /v0/incidents/{id}/updates': async world => {
    return { path: `${await makeIncident(world)}/updates`, body: { state: 'identified', body: 'Found.' } };
  },
  'PATCH /v0/incidents/{id}/updates/{update_id}': async world => {
    const path = await makeIncident(world);
    const { body } = await world.api('GET', path);
    return { path: `${path}/updates/${body.updates[0].id}`, body: { body: 'Corrected.' } };
  },
  'POST /v0/incidents/{id}/resolve': async world => {
    return { path: `${await makeIncident(world)}/resolve`, body: { body: 'Over.' } };
  },
  'POST /v0/alerts/{alert_id}/promote': async world => {
    const status_page_id = await makePage(world);
    return { path: `/v0/alerts/${await makeAlert(world)}/promote`, body: { status_page_id } };
  },
  'POST /v0/status-pages': async () => ({ path: '/v0/status-pages', body: pageBody() }),
  'PATCH /v0/status-pages/{id}': async world => {
    return { path: `/v0/status-pages/${await makePage(world)}`, body: { theme: 'dark' } };
  },
  'POST /v0/status-pages/{id}/rotate-link': async world => ({
    path: `/v0/status-pages/${await makePage(world, { access: { type: 'link' } })}/rotate-link`,
  }),
  'POST /v0/status-pages/{id}/domains': async world => ({
    path: `/v0/status-pages/${await somePage(world)}/domains`,
    body: { domain: `${randomUUID()}.example` },
  }),
  'POST /v0/status-pages/{id}/domains/{domain_id}/verify': async world => ({
    path: `${await makeDomain(world)}/verify`,
  }),
  'DELETE /v0/status-pages/{id}/domains/{domain_id}': async world => ({ path: await makeDomain(world) }),
  'POST /v0/status-pages/{id}/preview': async world => {
    return { path: `/v0/status-pages/${await makePage(world)}/preview`, body: { theme: 'dark' } };
  },
  'DELETE /v0/status-pages/{id}': async world => ({ path: `/v0/status-pages/${await makePage(world)}` }),
  'POST /v0/status-pages/{id}/subscribers': async world => {
    return { path: `/v0/status-pages/${await makePage(world)}/subscribers`, body: subscriberBody(world) };
  },
  'POST /v0/status-pages/{id}/subscribers/import': async world => {
    await allowImports(databaseOf(), world.projectId);
    const subscribers = [{ email: `${world.secret()}@example.com` }];
    const body = { consent: world.secret(), subscribers };
    return { path: `/v0/status-pages/${await makePage(world)}/subscribers/import`, body };
  },
  'DELETE /v0/status-pages/{id}/subscribers/{subscriber_id}': async world => {
    const path = `/v0/status-pages/${await makePage(world)}/subscribers`;
    const { body } = await world.api('POST', path, subscriberBody(world));
    return { path: `${path}/${body.id}` };
  },
  'POST /v0/channels': async world => ({ path: '/v0/channels', body: channelBody(world) }),
  'PATCH /v0/channels/{id}': async world => {
    return { path: await makeChannel(world), body: { config: { url: hookUrl(world) } } };
  },
  'DELETE /v0/channels/{id}': async world => ({ path: await makeChannel(world) }),
  'POST /v0/routes': async world => ({ path: '/v0/routes', body: await routeBody(world) }),
  'POST /v0/routes/order': async world => {
    for (let index = 0; index < 2; index++) await world.api('POST', '/v0/routes', await routeBody(world));
    const { body } = await world.api('GET', '/v0/routes');
    return { path: '/v0/routes/order', body: { ids: body.data.map((route: { id: string }) => route.id).reverse() } };
  },
  'PATCH /v0/routes/{id}': async world => ({ path: await makeRoute(world), body: { enabled: false } }),
  'DELETE /v0/routes/{id}': async world => ({ path: await makeRoute(world) }),
  'POST /v0/maintenances': async world => ({ path: '/v0/maintenances', body: await windowBody(world) }),
  'POST /v0/maintenances/preview': async world => {
    return { path: '/v0/maintenances/preview', body: await windowBody(world) };
  },
  'PATCH /v0/maintenances/{id}': async world => ({ path: await makeWindow(world), body: { title: 'Other' } }),
  'DELETE /v0/maintenances/{id}': async world => ({ path: await makeWindow(world) }),
  'POST /v0/maintenances/{id}/extend': async world => {
    return { path: `${await makeWindow(world)}/extend`, body: { ends_at: new Date(Date.now() + 9e6).toISOString() } };
  },
  'POST /v0/maintenances/{id}/end': async world => ({ path: `${await makeWindow(world)}/end`, body: {} }),
  'POST /v0/maintenances/{id}/cancel': async world => ({ path: `${await makeWindow(world)}/cancel`, body: {} }),
  'POST /v0/maintenances/{id}/updates': async world => {
    return { path: `${await makeWindow(world)}/updates`, body: { body: 'Going well.' } };
  },
  'PATCH /v0/maintenances/{id}/updates/{update_id}': async world => {
    const path = await makeWindow(world);
    const { body } = await world.api('POST', `${path}/updates`, { body: 'Going wel.' });
    return { path: `${path}/updates/${body.updates[0].id}`, body: { body: 'Going well.' } };
  },
  'POST /v0/deliveries/{id}/replay': async ({ projectId }) => {
    const id = await insertFailedDelivery(databaseOf(), projectId);
    return { path: `/v0/deliveries/${id}/replay` };
  },
  'POST /v0/webhooks': async world => ({ path: '/v0/webhooks', body: { url: hookUrl(world) } }),
  'PATCH /v0/webhooks/{id}': async world => ({ path: await makeWebhook(world), body: { url: hookUrl(world) } }),
  'POST /v0/webhooks/{id}/rotate-secret': async world => {
    return { path: `${await makeWebhook(world)}/rotate-secret`, body: {} };
  },
  'DELETE /v0/webhooks/{id}': async world => ({ path: await makeWebhook(world) }),
  'PUT /v0/slack': async world => ({ path: '/v0/slack', body: { bot_token: world.secret() } }),
  'DELETE /v0/slack': async ({ api, secret }) => {
    await api('PUT', '/v0/slack', { bot_token: secret() });
    return { path: '/v0/slack' };
  },
  'POST /v0/agents': async world => ({ path: '/v0/agents', body: agentBody(world) }),
  'DELETE /v0/agents/{id}': async world => {
    const { body } = await world.api('POST', '/v0/agents', agentBody(world));
    world.secrets.push(body.secret);
    return { path: `/v0/agents/${body.id}` };
  },
  // The project has no member yet: later a token may not.
  'POST /v0/invitations': async () => ({ path: '/v0/invitations', body: { role: 'admin' } }),
  'POST /v0/walls': async () => ({ path: '/v0/walls', body: { name: 'Operations room', selector: 'env=prod' } }),
  'DELETE /v0/walls/{id}': async ({ api, secrets }) => {
    const { body } = await api('POST', '/v0/walls', { name: 'Lobby' });
    secrets.push(body.url.slice(body.url.indexOf('#') + 1));
    return { path: `/v0/walls/${body.id}` };
  },
  'POST /v0/secrets': async ({ secret }) => ({ path: '/v0/secrets', body: secretBody(secret()) }),
  'PATCH /v0/secrets/{id}': async ({ api, secret }) => {
    const { body } = await api('POST', '/v0/secrets', secretBody(secret()));
    return { path: `/v0/secrets/${body.id}`, body: { value: secret() } };
  },
  'DELETE /v0/secrets/{id}': async ({ api, secret }) => {
    const { body } = await api('POST', '/v0/secrets', secretBody(secret()));
    return { path: `/v0/secrets/${body.id}` };
  },
  'POST /v0/config/apply': async ({ api }) => {
    const { body } = await api('POST', '/v0/config/plan', { document: flowDocument('apply') });
    return { path: '/v0/config/apply', body: { plan_id: body.id, expected_deletes: 0 }, entries: 2 };
  },
  'POST /v0/config/release': async ({ api }) => {
    const { body } = await api('POST', '/v0/config/plan', { document: flowDocument('release') });
    await api('POST', '/v0/config/apply', { plan_id: body.id, expected_deletes: 0 });
    return { path: '/v0/config/release', body: { manager: 'release' } };
  },
  'POST /v0/events': async () => ({ path: '/v0/events', body: { name: 'seen', external_user_id: 'u' } }),
  'POST /v0/releases': async () => ({ path: '/v0/releases', body: { version: randomUUID() } }),
  'DELETE /v0/releases/{id}': async ({ api }) => {
    const { body } = await api('POST', '/v0/releases', { version: randomUUID() });
    return { path: `/v0/releases/${body.id}` };
  },
  'POST /v0/flows': async () => ({ path: '/v0/flows', body: flowBody() }),
  'PATCH /v0/flows/{id}': async world => ({ path: await makeFlow(world), body: { window_seconds: 3600 } }),
  'DELETE /v0/flows/{id}': async world => ({ path: await makeFlow(world) }),
  'POST /v0/reports': async () => ({ path: '/v0/reports', body: reportBody() }),
  'PATCH /v0/reports/{id}': async world => ({ path: await makeReport(world), body: { name: randomUUID() } }),
  'DELETE /v0/reports/{id}': async world => ({ path: await makeReport(world) }),
  'DELETE /v0/users/{external_id}': async () => ({ path: `/v0/users/${randomUUID()}` }),
};

/** A user need not be known to be erased. */
const isAnyUser = (path: string) => path.startsWith('/v0/users/');

test('every route that changes something writes one entry with before and after, and none if it does not', async t => {
  const world = await openWorld();
  const { replica } = world;
  const writing = replica.endpoints.filter(endpoint => endpoint.method !== 'get');
  const reader = apiOf(
    replica.url,
    (await world.api('POST', '/v0/tokens', { name: 'r', scopes: ['audit:read'] })).body.token,
  );
  for (const endpoint of writing) {
    const route = `${endpoint.method.toUpperCase()} ${endpoint.path}`;
    // Tokens are refused there: test/control-plane/access/ has them.
    if (unlisted.test(route) || endpoint.peopleOnly === true) continue;
    const example = await examples[route]?.(world);
    if (example === undefined) return t.fail(`no example of ${route}: add one`);
    const { path, body } = example;
    const method = endpoint.method.toUpperCase();
    await newEntriesOf(world);
    const refusals = [
      reader(method, path, body ?? {}),
      ...(path === endpoint.path || isAnyUser(path)
        ? []
        : [world.api(method, path.replace(/_[0-9a-z]{26}/, `_${'0'.repeat(26)}`), body)]),
      ...(endpoint.body === null
        ? []
        : [world.api(method, path, { ...body, nonsense: 1 }), world.api(method, path, '{')]),
    ];
    for (const { status } of await Promise.all(refusals))
      t.true(status >= 400 || endpoint.kind === 'raw', `${route}: ${status}`);
    t.deepEqual(await newEntriesOf(world), [], `${route}, refused`);

    const key = { 'idempotency-key': randomUUID() };
    const first = await world.api(method, path, body, key);
    t.true(first.status < 300, `${route}: ${JSON.stringify(first.body)}`);
    const expected = endpoint.audit === undefined ? 0 : (example.entries ?? 1);
    const written = await newEntriesOf(world);
    t.is(written.length, expected, route);
    for (const entry of written) checkEntry(t, endpoint, entry, route);
    if (method !== 'POST' && method !== 'PATCH') continue;
    // The same again: a replay, or a change to what is there already.
    const again = await world.api(method, path, body, key);
    t.is(again.status, first.status, route);
    t.deepEqual(await newEntriesOf(world), [], `${route}, again`);
  }
  t.true(world.secrets.length >= 20);
  const rows = await withSql(databaseOf(), sql => sql.rows`select * from audit_entries`);
  const text = JSON.stringify(rows);
  t.deepEqual(
    world.secrets.filter(secret => text.includes(secret)),
    [],
  );
});

test('what a route may write is in the closed list, and every route that may write says so', async t => {
  const { replica } = await openWorld();
  const silent = replica.endpoints.filter(endpoint => endpoint.method !== 'get' && endpoint.audit === undefined);
  t.deepEqual(silent.map(endpoint => `${endpoint.method} ${endpoint.path}`).sort(), [
    'post /v0/channels/test',
    'post /v0/channels/{id}/test',
    'post /v0/config/plan',
    'post /v0/events',
    'post /v0/maintenances/preview',
    'post /v0/monitors/test',
    'post /v0/monitors/{id}/backtest',
    'post /v0/monitors/{id}/check-now',
    'post /v0/routes/match',
    'post /v0/status-pages/{id}/domains/{domain_id}/verify',
    'post /v0/status-pages/{id}/preview',
  ]);
  const declared = new Set(replica.endpoints.flatMap(endpoint => endpoint.audit ?? []));
  t.deepEqual(
    [...declared].filter(action => !auditActions.includes(action)),
    [],
  );
});

function checkEntry(t: ExecutionContext, { audit = [] }: Endpoint, entry: AuditView, route: string): void {
  t.true(audit.includes(entry.action), `${route}: ${entry.action}`);
  const via = entry.action.startsWith('monitor.') && route.endsWith('bulk') ? 'bulk' : 'api';
  const ofPaths = route.endsWith('/apply') ? 'apply' : /\/(history|incidents\/import)$/.test(route) ? 'import' : via;
  t.is(entry.via, ofPaths, route);
  t.like(entry.actor, { type: 'token', name: 'test' }, route);
  t.regex(String(entry.request_id), /^req_/, route);
  t.is(entry.detail, null);
  const { before, after } = entry;
  const isMade = /\.(created|opened|promoted|imported|restored|connected|applied|released)$/.test(entry.action);
  const isGone = /\.(deleted|disconnected)$/.test(entry.action);
  t.is(before === null, isMade, route);
  t.is(after === null, isGone, route);
  if (before !== null && after !== null) {
    t.deepEqual(Object.keys(before).sort(), Object.keys(after).sort(), route);
    for (const name of Object.keys(before)) t.notDeepEqual(before[name], after[name], `${route} ${name}`);
  }
  t.true(Object.keys(after ?? before ?? {}).length > 0, route);
  for (const effect of entry.also) t.notDeepEqual(effect.before, effect.after, route);
  if (route === 'PATCH /v0/components/{id}') t.is(entry.also[0]?.resource, 'monitor');
  if (route.endsWith('/promote')) t.like(entry.also[0], { resource: 'alert', after: { state: 'acknowledged' } });
}

async function openWorld(): Promise<World> {
  const replica = await sharedReplica(databaseOf(), { roles: ['front'], dnsServers: ['127.0.0.1:9'] });
  const { projectId, token } = await createTenant(databaseOf());
  const region = `audit-${projectId.slice(-8)}`;
  await createRegions(databaseOf(), [region], projectId);
  const secrets: string[] = [token];
  const secret = () => {
    const text = `s3cr3t-${randomUUID()}`;
    secrets.push(text);
    return text;
  };
  return { replica, api: apiOf(replica.url, token), projectId, region, secret, secrets, known: new Set() };
}

/** Entries since the last look. */
async function newEntriesOf({ api, known }: World): Promise<AuditView[]> {
  const { body } = await api('GET', '/v0/audit?limit=20');
  const entries = body.data.filter((entry: AuditView) => !known.has(entry.id));
  for (const entry of entries) known.add(entry.id);
  return entries;
}

function flowDocument(manager: string): string {
  const flow = `{ key: ${manager}, name: ${manager}, steps: [{ event: a }, { event: b }] }`;
  return `upquorum: 1\nmanager: ${manager}\nflows:\n  - ${flow}\n`;
}

function monitorBody({ region, secret }: World) {
  const url = `https://example.com/?token=${secret()}`;
  const headers = { authorization: secret() };
  return { name: randomUUID(), url, interval_seconds: 60, regions: [region], method: 'POST', headers, body: secret() };
}

async function makeMonitor(world: World): Promise<string> {
  return (await world.api('POST', '/v0/monitors', monitorBody(world))).body.id;
}

function agentBody({ region }: World) {
  return { region, name: randomUUID() };
}

function pageBody() {
  return { name: 'Page', slug: randomUUID() };
}

async function makePage({ api }: World, settings: object = {}): Promise<string> {
  return (await api('POST', '/v0/status-pages', { ...pageBody(), ...settings })).body.id;
}

/** One that there is already: a project has few. */
async function somePage({ api }: World): Promise<string> {
  return (await api('GET', '/v0/status-pages?limit=1')).body.data[0].id;
}

async function makeDomain(world: World): Promise<string> {
  const path = `/v0/status-pages/${await somePage(world)}/domains`;
  return `${path}/${(await world.api('POST', path, { domain: `${randomUUID()}.example` })).body.id}`;
}

async function makeComponent(world: World): Promise<string> {
  const monitor_ids = [await makeMonitor(world)];
  const posted = { status_page_id: await makePage(world), name: 'API', monitor_ids };
  return (await world.api('POST', '/v0/components', posted)).body.id;
}

async function incidentBody(world: World) {
  const initial_update = { state: 'investigating', body: 'We look into it.' };
  return { title: 'Outage', severity: 'p1', status_page_id: await makePage(world), initial_update };
}

async function makeIncident(world: World): Promise<string> {
  const { body } = await world.api('POST', '/v0/incidents', await incidentBody(world));
  return `/v0/incidents/${body.id}`;
}

async function makeAlert(world: World): Promise<string> {
  return insertOpenAlert(databaseOf(), world.projectId, await makeMonitor(world));
}

function subscriberBody({ secret }: World) {
  return { email: `${secret()}@example.com`, consent: secret() };
}

function hookUrl({ secret }: World): string {
  return `https://hooks.example/${secret()}?key=${secret()}`;
}

async function makeWebhook(world: World): Promise<string> {
  const { body } = await world.api('POST', '/v0/webhooks', { url: hookUrl(world) });
  world.secrets.push(body.secret);
  return `/v0/webhooks/${body.id}`;
}

function channelBody(world: World) {
  return { name: randomUUID(), type: 'webhook', config: { url: hookUrl(world) } };
}

async function makeChannel(world: World): Promise<string> {
  const { body } = await world.api('POST', '/v0/channels', channelBody(world));
  if (body.secret !== undefined) world.secrets.push(body.secret);
  return `/v0/channels/${body.id}`;
}

async function routeBody(world: World) {
  const id = (await makeChannel(world)).split('/').at(-1);
  return { name: randomUUID(), steps: [{ after_minutes: 0, channel_ids: [id] }] };
}

async function makeRoute(world: World): Promise<string> {
  return `/v0/routes/${(await world.api('POST', '/v0/routes', await routeBody(world))).body.id}`;
}

async function windowBody(world: World) {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  return {
    title: 'Upgrade',
    scope: { monitor_ids: [await makeMonitor(world)] },
    starts_at: at(-6e5),
    ends_at: at(6e6),
  };
}

/** A window that is in progress. */
async function makeWindow(world: World): Promise<string> {
  const { body } = await world.api('POST', '/v0/maintenances', await windowBody(world));
  return `/v0/maintenances/${body.id}`;
}

function flowBody() {
  return { name: 'Sign-up', steps: [{ event: 'a' }, { event: 'b' }] };
}

async function makeFlow({ api }: World): Promise<string> {
  return `/v0/flows/${(await api('POST', '/v0/flows', flowBody())).body.id}`;
}

function reportBody() {
  return { name: randomUUID(), items: [{ title: 'Paid', type: 'trend', event: 'paid' }] };
}

async function makeReport({ api }: World): Promise<string> {
  return `/v0/reports/${(await api('POST', '/v0/reports', reportBody())).body.id}`;
}

function secretBody(value: string) {
  return { name: `S${randomUUID().replaceAll('-', '').toUpperCase()}`, value };
}
