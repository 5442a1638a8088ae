import test, { type ExecutionContext } from 'ava';
import { readSignInSettings } from '#control-plane/access/oidc/settings.ts';
import { EnvReader } from '#shared/env.ts';
import { parseRange } from '#shared/network/guard.ts';
import { admin } from '#test/support/admin.ts';
import { listen } from '#test/support/change-stream.ts';
import { type Api, apiOf, createTenant, type Reply, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startIdentityProvider } from '#test/support/identity-provider.ts';
import { personOf, type SignedIn, sessionHeaders, signInBy, someAddress } from '#test/support/people.ts';
import { signInByProvider } from '#test/support/provider-sign-in.ts';

const databaseOf = useDatabase(test);
const hourMs = 3_600_000;

type Headers = Record<string, string>;

async function openWorld(t: ExecutionContext) {
  const provider = await startIdentityProvider();
  t.teardown(() => provider[Symbol.asyncDispose]());
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  const signIn = readSignInSettings(
    new EnvReader({ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'up' }),
    'http://localhost:8080',
  );
  const trustedProxies = [parseRange('127.0.0.0/8')].filter(range => range !== null);
  const config = { trustedProxies, signIn };
  const first = await startReplica(databaseOf(), config, clock);
  t.teardown(() => first.stop());
  const second = await startReplica(databaseOf(), { ...config, roles: ['front'] }, clock);
  t.teardown(() => second.stop());
  const urls = [first.url, second.url] as const;
  const owner = await personOf(t, databaseOf(), first.url, { name: 'Owner', operator: true });
  const advance = (ms: number) => {
    ahead += ms;
  };
  return { provider, urls, owner, advance };
}
type World = Awaited<ReturnType<typeof openWorld>>;

/** A project of one case, in which nothing else happens, and what its people do. */
async function openScene(t: ExecutionContext, { provider, urls, owner }: World) {
  const { projectId, token } = await createTenant(databaseOf());
  const ok = async (call: Promise<Reply>) => {
    const { status, body } = await call;
    t.true(status < 300, `${status} ${JSON.stringify(body)}`);
    return body;
  };
  const byOwner = (...[method, path, body]: Parameters<Api>) => ok(owner.call(projectId, method, path, body));
  await byOwner('POST', `/v0/projects/${projectId}/join`);
  const command = (...args: string[]) => admin(databaseOf(), args);
  const person = () => personOf(t, databaseOf(), urls[0], { name: 'One', project: projectId, role: 'editor' });
  const linkFor = async ({ id }: SignedIn) => (await command('person', 'link', '--id', id)) as { url: string };
  const again = async (one: SignedIn) => signInBy(t, urls[1], { id: one.id, url: (await linkFor(one)).url });
  const from = () => ({ 'x-forwarded-for': someAddress() });
  const byToken = async (secret: string) =>
    sessionHeaders(await apiOf(urls[0], '')('POST', '/dashboard/session', { token: secret }, from()));
  const ownToken = async (one: SignedIn) => {
    const asked = { project_id: projectId, name: 'own', scopes: ['monitors:write', 'project:read'] };
    const { id, token } = await ok(one.call(null, 'POST', '/v0/me/tokens', asked));
    return { id: id as string, enter: () => byToken(token) };
  };
  const groupRole = async (group: string, role: string) =>
    (await byOwner('POST', '/v0/group-roles', { group, role })).id as string;
  const enter = async (...groups: string[]) => {
    const claims = { sub: projectId, name: 'One', email: 'one@example.com', email_verified: true, groups };
    return (await signInByProvider(provider, urls, claims)).headers;
  };
  const service = apiOf(urls[0], token);
  return {
    projectId,
    service,
    ok,
    byOwner,
    command,
    person,
    linkFor,
    again,
    from,
    byToken,
    ownToken,
    groupRole,
    enter,
  };
}
type Scene = Awaited<ReturnType<typeof openScene>>;

/** A session, and what ends it. */
type Ending = { headers: Headers; end(): Promise<unknown> };
type Case = [title: string, code: string, prepare: (scene: Scene, world: World) => Promise<Ending>];

/** A person in a session, with another session of theirs. */
const ofPerson =
  (end: (scene: Scene & { one: SignedIn; other: SignedIn }, world: World) => Promise<unknown>): Case[2] =>
  async (scene, world) => {
    const one = await scene.person();
    const other = await scene.again(one);
    return { headers: one.headers, end: () => end({ ...scene, one, other }, world) };
  };

const signOuts: Case[] = [
  ['signing out', 'missing_token', ofPerson(({ ok, one }) => ok(one.call(null, 'DELETE', '/dashboard/session')))],
  ['everywhere else', 'missing_token', ofPerson(({ ok, other }) => ok(other.call(null, 'DELETE', '/v0/me/sessions')))],
  [
    'ending one session',
    'missing_token',
    ofPerson(async ({ ok, one, other }) => {
      const { data } = (await one.call(null, 'GET', '/v0/me/sessions')).body;
      const { id } = data.find(({ current }: { current: boolean }) => current);
      return ok(other.call(null, 'DELETE', `/v0/me/sessions/${id}`));
    }),
  ],
  [
    'signing in again in the same browser',
    'missing_token',
    ofPerson(async ({ ok, one, linkFor, from }, { urls }) => {
      const token = (await linkFor(one)).url.split('#')[1];
      const headers = { ...from(), cookie: one.headers.cookie ?? '' };
      return ok(apiOf(urls[1], '')('POST', '/auth/links/use', { token }, headers));
    }),
  ],
  [
    'a 51st session, also one by a token',
    'missing_token',
    ofPerson(async ({ one, ownToken }) => {
      const { enter } = await ownToken(one);
      for (let count = 2; count < 51; count++) await enter();
    }),
  ],
  ['a command', 'missing_token', ofPerson(({ command, one }) => command('session', 'end', '--person', one.id))],
];

const peopleEnd: Case[] = [
  [
    'deactivation',
    'missing_token',
    ofPerson(({ byOwner, one }) => byOwner('PATCH', `/v0/people/${one.id}`, { state: 'deactivated' })),
  ],
  [
    'deactivation by a command',
    'missing_token',
    ofPerson(({ command, one }) => command('person', 'update', '--id', one.id, '--state', 'deactivated')),
  ],
  ['erasure', 'missing_token', ofPerson(({ byOwner, one }) => byOwner('DELETE', `/v0/people/${one.id}`))],
  [
    'erasure by a command',
    'missing_token',
    ofPerson(({ command, one }) => command('person', 'erase', '--id', one.id, '--confirm', one.id)),
  ],
  ['removal', 'not_a_member', ofPerson(({ byOwner, one }) => byOwner('DELETE', `/v0/members/${one.id}`))],
  [
    'removal by a command',
    'not_a_member',
    ofPerson(({ command, projectId, one }) => command('member', 'remove', '--project', projectId, '--person', one.id)),
  ],
  [
    'leaving',
    'not_a_member',
    ofPerson(({ ok, projectId, one, other }) => ok(other.call(projectId, 'DELETE', `/v0/members/${one.id}`))),
  ],
  [
    'a lower role',
    'insufficient_scope',
    ofPerson(({ byOwner, one }) => byOwner('PATCH', `/v0/members/${one.id}`, { role: 'viewer' })),
  ],
  [
    'a lower role by a command',
    'insufficient_scope',
    ofPerson(({ command, projectId, one }) =>
      command('member', 'add', '--project', projectId, '--person', one.id, '--role', 'responder'),
    ),
  ],
];

const tokensEnd: Case[] = [
  [
    'a token of the project that is revoked',
    'token_revoked',
    async ({ service, ok, byToken }) => {
      const { id, token } = await ok(service('POST', '/v0/tokens', { name: 'ci', scopes: ['monitors:write'] }));
      return { headers: await byToken(token), end: () => ok(service('DELETE', `/v0/tokens/${id}`)) };
    },
  ],
  [
    'a token of one’s own that is revoked',
    'token_revoked',
    async ({ person, ownToken, ok }) => {
      const one = await person();
      const { id, enter } = await ownToken(one);
      return { headers: await enter(), end: () => ok(one.call(null, 'DELETE', `/v0/me/tokens/${id}`)) };
    },
  ],
  [
    'a token of somebody who is removed',
    'token_revoked',
    async ({ person, ownToken, byOwner }) => {
      const one = await person();
      const { enter } = await ownToken(one);
      return { headers: await enter(), end: () => byOwner('DELETE', `/v0/members/${one.id}`) };
    },
  ],
];

/** The identity provider ends a session, or what its groups gave. */
const ofProvider: Case[] = [
  [
    'a logout at the provider',
    'missing_token',
    async ({ projectId, groupRole, enter }, { provider, urls }) => {
      await groupRole(projectId, 'editor');
      const headers = await enter(projectId);
      const body = () => new URLSearchParams({ logout_token: provider.logoutToken({ sub: projectId }) });
      return { headers, end: () => fetch(`${urls[1]}/auth/oidc/logout`, { method: 'POST', body: body() }) };
    },
  ],
  [
    'a sign-in without the group',
    'not_a_member',
    async ({ projectId, groupRole, enter }) => {
      await groupRole(projectId, 'editor');
      return { headers: await enter(projectId), end: () => enter() };
    },
  ],
  [
    'a sign-in in a lower group',
    'insufficient_scope',
    async ({ projectId, groupRole, enter }) => {
      await groupRole(projectId, 'editor');
      await groupRole(`${projectId} lower`, 'viewer');
      return { headers: await enter(projectId), end: () => enter(`${projectId} lower`) };
    },
  ],
  [
    'the role taken from a group',
    'not_a_member',
    async ({ projectId, groupRole, enter, byOwner }) => {
      const id = await groupRole(projectId, 'editor');
      return { headers: await enter(projectId), end: () => byOwner('DELETE', `/v0/group-roles/${id}`) };
    },
  ],
  [
    'the role taken from the higher group',
    'insufficient_scope',
    async ({ projectId, groupRole, enter, byOwner }) => {
      const id = await groupRole(projectId, 'editor');
      await groupRole(`${projectId} lower`, 'viewer');
      const headers = await enter(projectId, `${projectId} lower`);
      return { headers, end: () => byOwner('DELETE', `/v0/group-roles/${id}`) };
    },
  ],
];

/**
 * On each front: the next request is refused, the stream ends in time and hears nothing of what came since. It takes
 * two seconds, more on a busy machine, and half a minute where nothing tells the stream to look.
 */
async function check(t: ExecutionContext, world: World, [title, code, prepare]: Case) {
  const scene = await openScene(t, world);
  const { headers, end } = await prepare(scene, world);
  const inside = { ...headers, 'x-project-id': scene.projectId };
  const streams = await Promise.all(world.urls.map(url => listen(t, url, inside)));
  await end();
  const endedAt = performance.now();
  const flow = { name: title, steps: [{ event: 'a' }, { event: 'b' }] };
  const later = await scene.ok(scene.service('POST', '/v0/flows', flow));
  for (const url of world.urls) {
    // What editors may do, and nobody below them.
    const reply = await apiOf(url, '')('POST', '/v0/monitors', {}, inside);
    t.is(reply.body.code, code, title);
  }
  for (const { ended, said } of streams) {
    const afterMs = Math.round((await ended) - endedAt);
    t.true(said().endsWith(`event: end\ndata: {"code":"${code}"}\n\n`), `${title}: ${said()}`);
    t.false(said().includes(later.id), `${title}: it heard of what came later`);
    t.true(afterMs < 25_000, `${title}: ended after ${afterMs} ms`);
  }
}

test('whatever ends a session, the next request is refused everywhere, and its streams end', async t => {
  const world = await openWorld(t);
  const cases = [...signOuts, ...peopleEnd, ...tokensEnd, ...ofProvider];
  // A few at once: a busy machine must not be what takes the time.
  const next = cases.values();
  const work = async () => {
    for (const one of next) await check(t, world, one);
  };
  await Promise.all([work(), work(), work(), work(), work(), work()]);
  // Expiry changes nothing that would be heard of: streams look by themselves, every thirty seconds.
  const expiring = (title: string, code: string, enter: (scene: Scene) => Promise<Headers>, ms: number): Case => [
    title,
    code,
    async scene => ({ headers: await enter(scene), end: async () => world.advance(ms) }),
  ];
  const byToken = async ({ service, ok, byToken: by }: Scene) => {
    const expires_at = new Date(Date.now() + hourMs).toISOString();
    return by((await ok(service('POST', '/v0/tokens', { name: 'ci', scopes: ['*'], expires_at }))).token);
  };
  await check(t, world, expiring('a token that expires', 'token_expired', byToken, hourMs));
  const person = async (scene: Scene) => (await scene.person()).headers;
  // By now the owner’s confirmation is an hour old.
  const owner = await personOf(t, databaseOf(), world.urls[0], { name: 'Owner', operator: true });
  await check(t, { ...world, owner }, expiring('a session that expires', 'missing_token', person, 12 * hourMs));
});
