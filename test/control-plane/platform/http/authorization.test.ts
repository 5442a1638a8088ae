import test from 'ava';
import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import { allows as holds } from '#control-plane/platform/http/endpoint/caller.ts';
import { type Endpoint, scopesOf } from '#control-plane/platform/http/endpoint/endpoint.ts';
import { createToken } from '#control-plane/platform/projects/create-token.ts';
import { scopes } from '#control-plane/platform/projects/token.ts';
import { newBearer } from '#control-plane/platform/secrets/bearer.ts';
import { type Api, apiOf, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { beforeDrop, useDatabase } from '#test/support/database.ts';
import { addressIn, fillProject, privateRegion, secretName, sharedRegion } from '#test/support/filled-project.ts';
import { problemFault } from '#test/support/problem.ts';
import { openRaw, type RawAnswer, writeRequest } from '#test/support/raw-connection.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);
const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const nowMs = Date.now();

type World = {
  replica: RunningControlPlane;
  first: { projectId: string; token: string };
  second: { projectId: string; token: string };
  owner: Api;
  send(method: string, path: string, authorization: string | null): Promise<RawAnswer>;
};

test.serial('every route refuses callers without a valid token and its scope, and says why', async t => {
  const world = await sharedWorld();
  const before = await rowsOf(world);
  const refusals: [string, string | null, number, string][] = [
    ['no token', null, 401, 'missing_token'],
    ['another scheme', 'Basic dXNlcjpwYXNz', 401, 'invalid_token'],
    ['no token after the scheme', 'Bearer', 401, 'invalid_token'],
    ['a malformed token', 'Bearer upq_short', 401, 'invalid_token'],
    [
      'a token with a typing error',
      `Bearer ${world.first.token.slice(0, -1)}${world.first.token.endsWith('a') ? 'b' : 'a'}`,
      401,
      'invalid_token',
    ],
    ['two tokens', `Bearer ${world.first.token} ${world.first.token}`, 401, 'invalid_token'],
    ['an agent’s secret', `Bearer ${newBearer('upa')}`, 401, 'invalid_token'],
    ['the secret of a wall', `Bearer ${newBearer('upw')}`, 401, 'invalid_token'],
    ['an unknown token', `Bearer ${newBearer('upq')}`, 401, 'invalid_token'],
    ['an expired token', `Bearer ${await tokenWith(world, ['*'], nowMs - 1000)}`, 401, 'token_expired'],
    ['a revoked token', `Bearer ${await revokedToken(world)}`, 401, 'token_revoked'],
  ];
  for (const endpoint of world.replica.endpoints) {
    const path = await addressIn(world.owner, endpoint);
    const lacking = await tokenWith(
      world,
      scopes.filter(scope => scope !== '*' && !scopesOf(endpoint).some(needed => holds([scope], needed))),
    );
    const isForPeople = endpoint.peopleOnly === true;
    const withScope: (typeof refusals)[number] = [
      isForPeople ? 'a token, of something for people' : 'every scope but the one',
      `Bearer ${lacking}`,
      403,
      isForPeople ? 'person_required' : 'insufficient_scope',
    ];
    const refused = endpoint.scope === null && !isForPeople ? refusals : [...refusals, withScope];
    for (const [who, authorization, status, code] of refused) {
      for (const method of methodsOf(endpoint)) {
        const answer = await world.send(method, path, authorization);
        const what = `${method} ${endpoint.path} with ${who}`;
        t.is(answer.status, status, what);
        const challenge = code === 'missing_token' ? 'Bearer' : 'Bearer error="invalid_token"';
        t.is(answer.headers['www-authenticate'], status === 401 ? challenge : undefined, what);
        t.false(answer.body.includes(secretName), what);
        if (method === 'HEAD') continue;
        t.is(problemFault(status, String(answer.headers['content-type']), answer.body), null, what);
        t.is(JSON.parse(answer.body).code, code, what);
        if (code === 'insufficient_scope') t.true(JSON.parse(answer.body).detail.includes(scopesOf(endpoint)[0]), what);
      }
    }
  }
  t.deepEqual(await rowsOf(world), before);
});

test.serial('the operator’s scope is not in *, and only a token that has it can give it', async t => {
  // The first project has as many tokens as one may have.
  const world = { ...(await sharedWorld()), first: await createTenant(databaseOf()) };
  t.false(holds(['*'], 'agents:operate'));
  t.true(holds(['*', 'agents:operate'], 'agents:operate'));
  t.true(holds(['*'], 'agents:read'));
  const scopesAsked = { name: 'operator', scopes: ['*', 'agents:operate'] };
  const refused = await apiOf(world.replica.url, await tokenWith(world, ['*']))('POST', '/v0/tokens', scopesAsked);
  t.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/scopes/1']);
  const operator = apiOf(world.replica.url, await tokenWith(world, scopesAsked.scopes));
  t.is((await operator('POST', '/v0/tokens', scopesAsked)).status, 201);
});

test.serial('a project cannot reach another’s objects by their ids, nor learn that they exist', async t => {
  const world = await sharedWorld();
  const before = await rowsOf(world);
  for (const endpoint of world.replica.endpoints) {
    const path = await addressIn(world.owner, endpoint);
    for (const method of methodsOf(endpoint)) {
      const what = `${method} ${endpoint.path}`;
      const answer = await world.send(method, path, `Bearer ${world.second.token}`);
      t.is(answer.status, foreignStatus(endpoint), what);
      t.false(answer.body.includes(secretName) || answer.body.includes(world.first.projectId), what);
      if (method === 'HEAD' || !endpoint.path.includes('{') || answer.status !== 404) continue;
      const unknown = await world.send(
        method,
        path.replace(/_[0-9a-z]{26}/, `_${'0'.repeat(26)}`),
        `Bearer ${world.second.token}`,
      );
      t.deepEqual(withoutInstance(answer), withoutInstance(unknown), what);
    }
  }
  t.deepEqual(await rowsOf(world), before);
});

test.serial('filters and bodies that name objects of another project do not find them', async t => {
  const world = await sharedWorld();
  const stranger = apiOf(world.replica.url, world.second.token);
  const monitorId = (await world.owner('GET', '/v0/monitors')).body.data[0].id as string;
  t.deepEqual((await stranger('GET', `/v0/alerts?monitor_id=${monitorId}`)).body.data, []);
  t.deepEqual((await stranger('GET', `/v0/agents?region=${privateRegion(world.first.projectId)}`)).body.data, []);
  t.false(JSON.stringify((await stranger('GET', '/v0/regions')).body).includes(privateRegion(world.first.projectId)));
  const posted = await stranger('POST', '/v0/monitors', {
    name: 'x',
    url: 'https://example.com',
    interval_seconds: 60,
    regions: [sharedRegion(world.first.projectId), privateRegion(world.first.projectId)],
  });
  t.is(posted.status, 422);
  t.is(posted.body.errors[0].code, 'unknown_reference');
  t.is(posted.body.errors[0].pointer, '/regions/1');
});

test.serial('each method without a route is 405 with the allowed methods, with and without a token', async t => {
  const world = await sharedWorld();
  for (const template of new Set(world.replica.endpoints.map(endpoint => endpoint.path))) {
    const [route] = world.replica.endpoints.filter(endpoint => endpoint.path === template);
    const path = await addressIn(world.owner, route as Endpoint);
    const routes = world.replica.endpoints.filter(endpoint => patternOf(endpoint).test(path));
    const allowed = new Set(routes.flatMap(methodsOf));
    // Browsers ask beforehand where pages may call.
    if (routes.some(route => route.cors === true)) allowed.add('OPTIONS');
    for (const method of verbs.filter(verb => !allowed.has(verb))) {
      for (const authorization of [null, `Bearer ${world.first.token}`, `Bearer ${world.second.token}`]) {
        const answer = await world.send(method, path, authorization);
        const what = `${method} ${template}`;
        t.is(answer.status, 405, what);
        t.deepEqual(answer.headers.allow?.split(', ').toSorted(), [...allowed].toSorted(), what);
        if (method !== 'HEAD') t.is(problemFault(405, String(answer.headers['content-type']), answer.body), null, what);
      }
    }
  }
});

test.serial('a path without a route is 404 with any method, with and without a token', async t => {
  const world = await sharedWorld();
  for (const path of [
    '/v0',
    '/v0/',
    '/v0/monitors/',
    '/V0/monitors',
    '/v0/nothing',
    '/v0/monitors/a/b/c',
    '/problems',
  ]) {
    for (const method of verbs) {
      for (const authorization of [null, `Bearer ${world.first.token}`]) {
        const answer = await world.send(method, path, authorization);
        t.is(answer.status, 404, `${method} ${path}`);
        if (method !== 'HEAD') t.is(JSON.parse(answer.body).code, 'not_found', `${method} ${path}`);
      }
    }
  }
});

// Without this test, the refusals above could come from routes that never work.
test.serial('the scope that a route names is enough for it', async t => {
  const world = await openWorld();
  const routes = world.replica.endpoints.toSorted(
    (a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'),
  );
  for (const endpoint of routes) {
    const path = await addressIn(world.owner, endpoint);
    const answer = await world.send(
      endpoint.method.toUpperCase(),
      path,
      `Bearer ${await tokenWith(world, scopesByContent.has(endpoint.path) ? ['*'] : scopesOf(endpoint))}`,
    );
    const what = `${endpoint.method} ${endpoint.path}`;
    // The project has members, who invite others.
    if (endpoint.peopleOnly === true || endpoint.requireCaller !== undefined) {
      t.is(answer.status, 403, what);
      continue;
    }
    // A conflict is found only by a route that does its work.
    const works = (answer.status >= 200 && answer.status < 300) || answer.status === 409;
    if (!takesNoParameters(endpoint)) t.is(answer.status, 400, what);
    else if (takesEmptyBody(endpoint)) t.true(works, `${what}: ${answer.status}`);
    else t.is(answer.status, 422, what);
  }
});

let shared: Promise<World> | null = null;

/** The world of all tests that leave it as it was. */
function sharedWorld(): Promise<World> {
  shared ??= openWorld();
  return shared;
}

/** Open until the database is dropped. */
async function openWorld(): Promise<World> {
  const replica = await startReplica(databaseOf(), { dnsServers: ['127.0.0.1:9'] });
  const first = await createTenant(databaseOf());
  const second = await createTenant(databaseOf());
  const owner = apiOf(replica.url, first.token);
  await fillProject(databaseOf(), first.projectId, owner);
  let connection = await openRaw(replica.port);
  beforeDrop(databaseOf(), async () => {
    await connection[Symbol.asyncDispose]();
    await replica.stop();
  });
  const send = async (method: string, path: string, authorization: string | null) => {
    if (!connection.open) connection = await openRaw(replica.port);
    const headers: Record<string, string> = authorization === null ? {} : { authorization };
    const body = ['GET', 'HEAD', 'TRACE'].includes(method) ? null : '{}';
    const answer = await connection.exchange(writeRequest(method, path, headers, body), method);
    if (answer === null) throw new Error(`${method} ${path} was not answered`);
    return answer;
  };
  return { replica, first, second, owner, send };
}

/** Matches the addresses of an endpoint: a fixed name in one may be an id in another. */
function patternOf({ path }: Endpoint): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function methodsOf(endpoint: Endpoint): string[] {
  return endpoint.method === 'get' ? ['GET', 'HEAD'] : [endpoint.method.toUpperCase()];
}

/** What their bodies must have depends on a kind, or is one of several: the schema alone asks for nothing. */
const bodiesByKind = new Set(['/v0/monitors/test', '/v0/config/plan', '/v0/config/release']);

/** What the answer holds says which scopes it needs. */
const scopesByContent = new Set(['/v0/config/export']);

function takesEmptyBody(endpoint: Endpoint): boolean {
  if (bodiesByKind.has(endpoint.path)) return false;
  return endpoint.body === null || endpoint.body.safeParse({}).success;
}

function takesNoParameters(endpoint: Endpoint): boolean {
  return endpoint.query.safeParse({}).success;
}

function foreignStatus(endpoint: Endpoint): number {
  if (endpoint.peopleOnly === true) return 403;
  if (!takesNoParameters(endpoint)) return 400;
  if (!takesEmptyBody(endpoint)) return 422;
  // Users exist only as names in events: an unknown one has an empty timeline in every project.
  const hidden = endpoint.path.includes('{') && !endpoint.path.includes('{external_id}');
  return hidden ? 404 : Number(Object.keys(endpoint.answers)[0]);
}

function withoutInstance(answer: RawAnswer): unknown {
  const { request_id: _, instance: __, ...rest } = JSON.parse(answer.body);
  return { status: answer.status, ...rest };
}

function tokenWith({ first }: World, granted: readonly string[], expiresAt: number | null = null): Promise<string> {
  return withSql(databaseOf(), async sql => {
    const token = { projectId: first.projectId, name: 'test', scopes: granted, expiresAt };
    return (await createToken(sql, token, nowMs)).token;
  });
}

async function revokedToken({ owner }: World): Promise<string> {
  const { body } = await owner('POST', '/v0/tokens', { name: 'revoked', scopes: ['*'] });
  await owner('DELETE', `/v0/tokens/${body.id}`);
  return body.token as string;
}

/** What the first project owns, without what a look at it may change. */
async function rowsOf({ first, owner }: World): Promise<unknown> {
  const tables = await readTables(databaseOf());
  const names = [
    'projects',
    'monitors',
    'monitor_versions',
    'alerts',
    'status_pages',
    'page_domains',
    'components',
    'component_monitors',
    'incidents',
    'incident_updates',
    'maintenances',
    'maintenance_members',
    'maintenance_occurrences',
    'maintenance_updates',
    'subscribers',
    'webhooks',
    'channels',
    'routes',
    'alert_groups',
    'events',
    'event_dedup_keys',
    'releases',
    'flows',
    'reports',
    'walls',
    'secrets',
    'members',
    'invitations',
    'group_roles',
  ];
  // The publisher stores the HTML of a text when it first shows it; the worker looks at domains.
  const html = /"(?:html|excerpt|rendered_as|postmortem_html|postmortem_rendered_as)": (?:null|"(?:[^"\\]|\\.)*")/g;
  const looked = /"(?:error|checked_at|next_check_at|asked_at)": (?:null|"[^"]*")/g;
  const own = names.map(name =>
    tables[name]?.filter(row => row.includes(first.projectId)).map(row => row.replace(html, '').replace(looked, '')),
  );
  const { body } = await owner('GET', '/v0/tokens');
  const tokens = body.data.filter((token: { name: string }) => token.name === secretName);
  return { own, tokens };
}
