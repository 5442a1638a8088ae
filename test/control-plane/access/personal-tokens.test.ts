import test, { type ExecutionContext } from 'ava';
import { allows } from '#control-plane/platform/http/endpoint/caller.ts';
import { roles, scopesOfRole, scopesWithin } from '#control-plane/platform/projects/roles.ts';
import { scopes as everyScope } from '#control-plane/platform/projects/token.ts';
import type { Clock } from '#shared/clock.ts';
import { parseRange } from '#shared/network/guard.ts';
import { admin } from '#test/support/admin.ts';
import { type Api, apiOf, createTenant, type Reply, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { personOf, type SignedIn, sessionHeaders, someAddress } from '#test/support/people.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const proxies = parseRange('127.0.0.0/8');
const dayMs = 86_400_000;
const page = () => ({ name: 'Acme', slug: `acme-${crypto.randomUUID()}` });

/** On the replica of the file, or with a clock on its own. */
async function openWorld(t: ExecutionContext, clock?: Clock) {
  const config = { trustedProxies: proxies === null ? [] : [proxies] };
  const replica = await (clock === undefined
    ? sharedReplica(databaseOf(), config)
    : startReplica(databaseOf(), config, clock));
  if (clock !== undefined) t.teardown(() => replica.stop());
  const { url } = replica;
  const tenants = [await createTenant(databaseOf()), await createTenant(databaseOf())] as const;
  const { projectId } = tenants[0];
  const owner = await personOf(t, databaseOf(), url, { name: 'Owner', project: projectId });
  const ada = await personOf(t, databaseOf(), url, { name: 'Ada', project: projectId, role: 'editor' });
  const by = (token: string) => apiOf(url, token);
  return { url, projectId, strange: tenants[1].projectId, owner, ada, by };
}

type World = Awaited<ReturnType<typeof openWorld>>;

async function make(t: ExecutionContext, { projectId }: World, person: SignedIn, changes: object = {}) {
  const body = { project_id: projectId, name: 'laptop', scopes: ['status-pages:write', 'tokens:write'], ...changes };
  const reply = await person.call(null, 'POST', '/v0/me/tokens', body);
  t.is(reply.status, 201, JSON.stringify(reply.body));
  return reply.body as { id: string; token: string; expires_at: string; person_id: string };
}

function refused(t: ExecutionContext, reply: Reply, status: number, code: string): void {
  t.is(reply.status, status, JSON.stringify(reply.body));
  t.is(reply.body.code, code);
}

test('a token of a person has no scope that their role lacks, and all of its own that the role has', t => {
  for (const role of roles) {
    t.deepEqual(
      scopesWithin(['*'], role, false),
      scopesOfRole(role).filter(scope => scope !== 'members:write'),
    );
    t.deepEqual(scopesWithin([], role, true), []);
    for (const scope of everyScope)
      for (const kept of scopesWithin([scope], role, false)) t.true(scopesOfRole(role).includes(kept), scope);
  }
  t.deepEqual(scopesWithin(['status-pages:write'], 'viewer', false), ['status-pages:read']);
  t.deepEqual(scopesWithin(['agents:operate'], 'admin', false), []);
  t.deepEqual(scopesWithin(['agents:operate'], 'admin', true), ['agents:operate']);
});

test('a personal token is made within the role and always ends', async t => {
  let ahead = 0;
  const world = await openWorld(t, { now: () => Date.now() + ahead });
  const { owner, ada, projectId, strange } = world;
  const post = (person: SignedIn, changes: object) =>
    person.call(null, 'POST', '/v0/me/tokens', {
      project_id: projectId,
      name: 'x',
      scopes: ['status-pages:read'],
      ...changes,
    });
  const faultsOf = async (person: SignedIn, changes: object) => {
    const { status, body } = await post(person, changes);
    t.is(status, 422, JSON.stringify(body));
    return body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
  };
  const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
  t.deepEqual(await faultsOf(ada, { scopes: ['status-pages:write', 'tokens:read'] }), ['/scopes/1 not_allowed']);
  t.deepEqual(await faultsOf(ada, { scopes: ['*'] }), ['/scopes/0 not_allowed']);
  t.deepEqual(await faultsOf(owner, { scopes: ['members:write'] }), ['/scopes/0 enum']);
  t.deepEqual(await faultsOf(owner, { scopes: ['agents:operate'] }), ['/scopes/0 not_allowed']);
  t.deepEqual(await faultsOf(ada, { project_id: strange }), ['/project_id unknown_reference']);
  t.deepEqual(await faultsOf(ada, { expires_at: null }), ['/expires_at type']);
  t.deepEqual(await faultsOf(ada, { expires_at: inDays(401) }), ['/expires_at out_of_range']);
  t.deepEqual(await faultsOf(ada, { expires_at: inDays(-1) }), ['/expires_at out_of_range']);
  const made = await make(t, world, owner);
  t.true(Math.abs(Date.parse(made.expires_at) - Date.now() - 90 * dayMs) < dayMs);
  t.is((await post(ada, { expires_at: inDays(399) })).status, 201);
  const own = (await owner.call(null, 'GET', '/v0/me/tokens')).body.data;
  t.deepEqual(
    own.map(({ id }: { id: string }) => id),
    [made.id],
  );
  t.is(own[0].token, undefined);
  const listed = (await owner.call(projectId, 'GET', '/v0/tokens')).body.data;
  const { scopes, person_id } = listed.find(({ id }: { id: string }) => id === made.id);
  t.deepEqual({ scopes, person_id }, { scopes: ['status-pages:write', 'tokens:write'], person_id: owner.id });
  ahead = 11 * 60_000;
  refused(t, await post(ada, {}), 403, 'confirmation_required');
});

test('a personal token acts as its person, and the audit names both', async t => {
  const world = await openWorld(t);
  const { ada, owner, by, projectId, strange } = world;
  const made = await make(t, world, owner);
  const api = by(made.token);
  const me = (await api('GET', '/v0/me')).body;
  t.like(me, { type: 'person', role: 'admin', project: { id: projectId }, token: { id: made.id, name: 'laptop' } });
  t.is(me.person.id, owner.id);
  t.deepEqual(me.scopes, ['tokens:read', 'tokens:write', 'status-pages:read', 'status-pages:write']);
  const shown = await api('POST', '/v0/status-pages', page());
  t.is(shown.status, 201, JSON.stringify(shown.body));
  const [entry] = (await owner.call(projectId, 'GET', `/v0/audit?subject=${shown.body.id}`)).body.data;
  const actor = { type: 'person', id: owner.id, name: 'Owner', token: { id: made.id, name: 'laptop' } };
  t.like(entry, { actor, via: 'api' });
  refused(t, await api('GET', '/v0/channels'), 403, 'insufficient_scope');
  refused(t, await api('GET', '/v0/me/tokens'), 403, 'person_required');
  refused(t, await api('GET', '/v0/people'), 403, 'person_required');
  refused(t, await api('GET', '/v0/status-pages', undefined, { 'x-project-id': strange }), 403, 'not_a_member');
  // What it makes is a token of the project that ends with it, and no later.
  const service = await api('POST', '/v0/tokens', { name: 'made', scopes: ['status-pages:read'] });
  t.like(service.body, { created_by: made.id, person_id: null, expires_at: made.expires_at });
  refused(t, await ada.call(null, 'DELETE', `/v0/me/tokens/${made.id}`), 404, 'not_found');
  t.is((await owner.call(null, 'DELETE', `/v0/me/tokens/${made.id}`)).status, 204);
  refused(t, await api('GET', '/v0/me'), 401, 'token_revoked');
  refused(t, await by(service.body.token)('GET', '/v0/me'), 401, 'token_revoked');
});

test('stored answers and the rate belong to the token, not to its person', async t => {
  const world = await openWorld(t);
  const [one, two] = [await make(t, world, world.owner), await make(t, world, world.owner)];
  const key = { 'idempotency-key': crypto.randomUUID() };
  const body = page();
  const post = (token: string) => world.by(token)('POST', '/v0/status-pages', body, key);
  const made = await post(one.token);
  t.is((await post(one.token)).body.id, made.body.id);
  refused(t, await post(two.token), 422, 'idempotency_key_reused');
  const keys = await withSql(
    databaseOf(),
    sql => sql.rows<{ key: string }>`select key from rate_buckets where key like 'token tok_%'`,
  );
  for (const { id } of [one, two])
    t.true(
      keys.some(row => row.key === `token ${id}`),
      id,
    );
});

test('at each step of a demotion a token can do what both it and the role allow', async t => {
  const world = await openWorld(t);
  const { owner, by, projectId } = world;
  const one = await personOf(t, databaseOf(), world.url, { name: 'One', project: projectId });
  const given = scopesOfRole('admin').filter(scope => /:write$/.test(scope) && scope !== 'members:write');
  const made = await make(t, world, one, { scopes: [...given, 'events:read'] });
  const can = async () => (await by(made.token)('GET', '/v0/me')).body.scopes;
  for (const role of ['admin', 'editor', 'responder', 'viewer', 'editor'] as const) {
    const path = `/v0/members/${one.id}`;
    t.is((await owner.call(projectId, 'PATCH', path, { role })).status, 200);
    const allowed = scopesOfRole(role).filter(scope => allows([...given, 'events:read'], scope));
    t.deepEqual(await can(), allowed, role);
  }
});

test('a personal token follows the role, and ends with membership, deactivation and erasure', async t => {
  const world = await openWorld(t);
  const { owner, ada, projectId, by } = world;
  const made = await make(t, world, ada, { scopes: ['status-pages:write'] });
  const api = by(made.token);
  const post = () => api('POST', '/v0/status-pages', page());
  t.is((await post()).status, 201);
  t.is((await owner.call(projectId, 'PATCH', `/v0/members/${ada.id}`, { role: 'viewer' })).status, 200);
  refused(t, await post(), 403, 'insufficient_scope');
  t.is((await api('GET', '/v0/status-pages')).status, 200, 'its role still reads');
  t.is((await owner.call(projectId, 'DELETE', `/v0/members/${ada.id}`)).status, 204);
  refused(t, await api('GET', '/v0/status-pages'), 401, 'token_revoked');
  const [removed] = (await owner.call(projectId, 'GET', '/v0/audit?action=member.removed')).body.data;
  t.like(removed.also[0], { resource: 'token', subject: made.id });
  // Back as a member: the token of before stays revoked.
  await admin(databaseOf(), ['member', 'add', '--project', projectId, '--person', ada.id, '--role', 'admin']);
  refused(t, await api('GET', '/v0/status-pages'), 401, 'token_revoked');
  const again = await make(t, world, ada);
  await admin(databaseOf(), ['person', 'update', '--id', ada.id, '--state', 'deactivated']);
  refused(t, await by(again.token)('GET', '/v0/status-pages'), 401, 'token_revoked');
  const last = await make(t, world, owner);
  await admin(databaseOf(), ['person', 'erase', '--id', owner.id, '--confirm', owner.id]);
  refused(t, await by(last.token)('GET', '/v0/status-pages'), 401, 'token_revoked');
});

test('whatever a version of before leaves of a membership: without it a personal token is refused', async t => {
  const world = await openWorld(t);
  const made = await make(t, world, world.ada, { scopes: ['status-pages:write'] });
  const [row] = await withSql(
    databaseOf(),
    sql => sql.rows<{ scopes: string[] }>`select scopes from tokens where id = ${made.id}`,
  );
  t.deepEqual(row?.scopes, [], 'version 0.12.0 lets it do nothing');
  await withSql(databaseOf(), sql => sql.run`delete from members where person_id = ${world.ada.id}`);
  refused(t, await world.by(made.token)('GET', '/v0/status-pages'), 401, 'token_revoked');
});

test('signing in by a personal token gives the person’s session, in its project, with its scopes', async t => {
  const world = await openWorld(t);
  const { owner, url, projectId, strange } = world;
  const made = await make(t, world, owner);
  await admin(databaseOf(), ['member', 'add', '--project', strange, '--person', owner.id, '--role', 'admin']);
  const from = { 'x-forwarded-for': someAddress() };
  const reply = await apiOf(url, '')('POST', '/dashboard/session', { token: made.token }, from);
  t.is(reply.status, 201, JSON.stringify(reply.body));
  const scopes = ['tokens:read', 'tokens:write', 'status-pages:read', 'status-pages:write'];
  t.like(reply.body, { method: 'token', project_id: projectId, token_id: made.id, confirmed_until: null });
  t.deepEqual(reply.body.scopes, scopes);
  t.is(reply.body.person.id, owner.id);
  t.deepEqual(
    reply.body.projects.map(({ id, scopes: own }: { id: string; scopes: string[] }) => ({ id, scopes: own })),
    [{ id: projectId, scopes }],
  );
  const headers = sessionHeaders(reply);
  const call = (method: Parameters<Api>[0], path: string, body?: unknown, more: Record<string, string> = {}) =>
    apiOf(url, '')(method, path, body, { ...headers, ...more });
  t.is((await call('GET', '/v0/status-pages', undefined, { 'x-project-id': projectId })).status, 200);
  refused(t, await call('GET', '/v0/status-pages', undefined, { 'x-project-id': strange }), 403, 'not_a_member');
  refused(t, await call('GET', '/v0/channels'), 403, 'insufficient_scope');
  t.is((await call('GET', '/v0/me')).body.person.id, owner.id);
  // It can do no more than the token: nothing of its person.
  const [ofPerson] = (await owner.call(null, 'GET', '/v0/me/sessions')).body.data;
  const token = { project_id: projectId, name: 'more', scopes: ['status-pages:read'] };
  const personal = [
    ['PATCH', '/v0/me', { name: 'Somebody' }],
    ['PATCH', '/v0/me', { preferences: { theme: 'dark' } }],
    ['GET', '/v0/me/sessions'],
    ['DELETE', '/v0/me/sessions'],
    ['DELETE', `/v0/me/sessions/${ofPerson.id}`],
    ['GET', '/v0/me/tokens'],
    ['POST', '/v0/me/tokens', token],
    ['DELETE', `/v0/me/tokens/${made.id}`],
    ['GET', '/v0/me/passkeys'],
    ['DELETE', '/v0/me/identities/idn_00000000000000000000000000'],
    ['GET', '/v0/projects'],
    ['DELETE', `/v0/members/${owner.id}`],
  ] as const;
  for (const [method, path, body] of personal) {
    const refusal = await call(method, path, body, { 'x-project-id': projectId });
    refused(t, refusal, 403, 'person_required');
  }
  t.is((await owner.call(null, 'GET', '/v0/me')).body.person.name, 'Owner');
  refused(
    t,
    await call('POST', '/v0/tokens', { name: 'more', scopes: ['status-pages:read'] }),
    403,
    'confirmation_required',
  );
  const listed = (await owner.call(null, 'GET', '/v0/me/sessions')).body.data;
  t.is(listed.filter(({ method }: { method: string }) => method === 'token').length, 1);
  const entries = (await owner.call(projectId, 'GET', '/v0/audit?action=session.created')).body.data;
  t.true(entries.some(({ actor }: { actor: { token: { id: string } | null } }) => actor.token?.id === made.id));
  t.is((await owner.call(null, 'DELETE', '/v0/me/sessions')).status, 204);
  refused(t, await call('GET', '/v0/me'), 401, 'missing_token');
});

test('who is asked what they are in a project learns role and scopes', async t => {
  const { ada, projectId, strange } = await openWorld(t);
  const me = (await ada.call(projectId, 'GET', '/v0/me')).body;
  t.like(me, { type: 'person', role: 'editor', project: { id: projectId }, token: null });
  t.deepEqual(me.scopes, scopesOfRole('editor'));
  t.like((await ada.call(strange, 'GET', '/v0/me')).body, { project: null, role: null, scopes: [] });
});
