import test, { type ExecutionContext } from 'ava';
import { readClaims } from '#control-plane/access/oidc/claims.ts';
import { decide, type Question } from '#control-plane/access/oidc/decide.ts';
import { type OidcSettings, readSignInSettings, type SignInSettings } from '#control-plane/access/oidc/settings.ts';
import { requireOtherWay } from '#control-plane/access/people/ways-in.ts';
import { passkeysFinding, signInFindings } from '#control-plane/access/sign-in/findings.ts';
import type { ControlPlaneConfig } from '#control-plane/config.ts';
import { EnvReader } from '#shared/env.ts';
import { parseRange } from '#shared/network/guard.ts';
import { apiOf, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type IdentityProvider, type ProviderLies, startIdentityProvider } from '#test/support/identity-provider.ts';
import { personOf, someAddress } from '#test/support/people.ts';
import { sharedPair } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const origin = 'http://localhost:8080';
const proxies = parseRange('127.0.0.0/8');

function settingsOf(env: Record<string, string>): { settings: SignInSettings; faults: string } {
  const reader = new EnvReader(env);
  const settings = readSignInSettings(reader, 'https://up.example');
  try {
    reader.check();
    return { settings, faults: '' };
  } catch (error) {
    return { settings, faults: (error as Error).message };
  }
}

test('faults of the settings say what to do, and never repeat a secret', t => {
  const secret = 'very-secret';
  const cases: [Record<string, string>, RegExp][] = [
    [{ OIDC_CLIENT_SECRET: secret }, /OIDC_ISSUER is not: .*https:\/\/up\.example\/auth\/oidc\/callback/],
    [{ OIDC_ISSUER: 'https://id.example' }, /OIDC_CLIENT_ID is not set/],
    [{ OIDC_ISSUER: 'https://id.example/.well-known/openid-configuration' }, /the issuer alone/],
    [{ OIDC_ISSUER: 'https://id.example?x=1', OIDC_CLIENT_ID: 'a' }, /neither a query/],
    [{ OIDC_ISSUER: 'http://id.example', OIDC_CLIENT_ID: 'a' }, /https:\/\//],
    [{ OIDC_ISSUER: 'https://login.microsoftonline.com/common/v2.0', OIDC_CLIENT_ID: 'a' }, /tenant/],
    [{ SIGN_IN_METHODS: 'oidc' }, /needs OIDC_ISSUER/],
    [{ SIGN_IN_METHODS: 'password' }, /none of oidc, passkey, email, token/],
    [{ SIGN_IN_METHODS: 'email,token' }, /email, which needs SMTP_URL/],
  ];
  for (const [env, expected] of cases) {
    const { faults } = settingsOf(env);
    t.regex(faults, expected);
    t.false(faults.includes(secret));
  }
  t.deepEqual(settingsOf({ SMTP_URL: 'smtp://mail.example' }).settings.methods, ['passkey', 'token']);
  const { settings } = settingsOf({ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'a', SIGN_IN_METHODS: 'oidc' });
  t.deepEqual([settings.methods, settings.oidc?.name], [['oidc'], 'id.example']);
});

const oidc = {
  issuer: 'https://id.example',
  groupsClaim: 'groups',
  trustEmail: false,
  allowedDomains: ['example.com'],
  allowedGroups: ['staff'],
  operatorGroups: ['root'],
} as unknown as OidcSettings;
const settings: SignInSettings = { methods: ['oidc'], oidc, operators: ['ada@other.example'] };
const claimsOf = (claims: Record<string, unknown>, more: Partial<OidcSettings> = {}) => {
  const read = readClaims({ iss: 'https://id.example', sub: 's', ...claims }, null, { ...oidc, ...more });
  if (read === null) throw new Error('nobody');
  return read;
};
const question: Question = {
  purpose: 'sign_in',
  personId: null,
  invitation: 'none',
  known: null,
  isInvited: false,
  groupRoles: { some: false, own: false },
};
const known = { id: 'usr_1', state: 'active', isMember: true, isOperatorByHand: false };

test('an account is let in by what it is known as, invited to or admitted by, and by nothing else', t => {
  const unverified = { email: 'eve@example.com', email_verified: false };
  const verified = { email: 'eve@Example.com', email_verified: true };
  const cases: [string, Partial<Question>, Record<string, unknown>, string, Partial<OidcSettings>?][] = [
    ['nobody knows', {}, { email: 'eve@else.example', email_verified: true }, 'not_admitted'],
    ['an unverified email of the domain', {}, unverified, 'not_admitted'],
    ['a verified one', {}, verified, 'create'],
    ['a missing claim', {}, { email: 'eve@example.com' }, 'not_admitted'],
    ['a missing claim that is trusted', {}, { email: 'eve@example.com' }, 'create', { trustEmail: true }],
    ['false is never trusted', {}, unverified, 'not_admitted', { trustEmail: true }],
    ['a group', {}, { groups: ['staff'] }, 'create'],
    ['a group as one text', {}, { groups: 'staff' }, 'create'],
    ['a listed operator', {}, { email: 'Ada@other.example', email_verified: true }, 'create'],
    ['another domain of Google', {}, { iss: 'https://accounts.google.com', ...verified }, 'not_admitted'],
    ['the domain of Google', {}, { iss: 'https://accounts.google.com', hd: 'example.com' }, 'create'],
    ['groups that are not all there', {}, { hasgroups: true, ...verified }, 'groups_incomplete'],
    ['groups elsewhere', {}, { _claim_names: { groups: 'src1' }, ...verified }, 'groups_incomplete'],
    ['an invitation', { invitation: 'open' }, {}, 'create'],
    ['one that expired', { invitation: 'expired' }, verified, 'link_expired'],
    ['an invited address', { isInvited: true }, {}, 'create'],
    ['a known member', { known }, {}, 'sign_in'],
    [
      'known, without a project, invited',
      { known: { ...known, isMember: false }, isInvited: true },
      {},
      'not_admitted',
    ],
    ['somebody deactivated', { known: { ...known, state: 'deactivated' } }, verified, 'person_deactivated'],
    ['a group with a role', { groupRoles: { some: true, own: true } }, { groups: ['sre'] }, 'create'],
    ['known, without a project', { known: { ...known, isMember: false } }, {}, 'not_admitted'],
    ['a link to somebody’s account', { purpose: 'link', personId: 'usr_2', known }, {}, 'identity_taken'],
    ['a link', { purpose: 'link', personId: 'usr_2' }, {}, 'link'],
    ['a confirmation by somebody else', { purpose: 'confirm', personId: 'usr_2', known }, {}, 'wrong_person'],
    ['a confirmation', { purpose: 'confirm', personId: 'usr_1', known }, {}, 'confirm'],
  ];
  for (const [title, asked, claims, expected, more = {}] of cases) {
    const own = { ...settings, oidc: { ...oidc, ...more } };
    const decision = decide({ ...question, ...asked }, claimsOf(claims, more), own);
    t.is<string, string>(decision.type === 'refuse' ? decision.error : decision.type, expected, title);
  }
});

let shared: Promise<IdentityProvider> | null = null;
test.after.always(async () => (await shared)?.[Symbol.asyncDispose]());

/** The provider of all tests that leave it as it is. */
function sharedProvider(): Promise<IdentityProvider> {
  shared ??= startIdentityProvider();
  return shared;
}

async function startProvider(t: ExecutionContext): Promise<IdentityProvider> {
  const provider = await startIdentityProvider();
  t.teardown(() => provider[Symbol.asyncDispose]());
  return provider;
}

async function startPair(t: ExecutionContext, config: Partial<ControlPlaneConfig>) {
  const replicas = [await startReplica(databaseOf(), config), await startReplica(databaseOf(), config)] as const;
  t.teardown(() => Promise.all(replicas.map(replica => replica.stop())));
  return replicas;
}

/** Two replicas and a provider: those of the file, or with `changes` the test's own. */
async function openWorld(t: ExecutionContext, changes?: Partial<OidcSettings>) {
  const provider = await (changes === undefined ? sharedProvider() : startProvider(t));
  const { settings: read } = settingsOf({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'up',
    OIDC_CLIENT_SECRET: 's',
  });
  const signIn = { ...read, oidc: read.oidc === null ? null : { ...read.oidc, ...changes } };
  const config = { publicUrl: origin, trustedProxies: proxies === null ? [] : [proxies], signIn };
  const replicas = await (changes === undefined ? sharedPair(databaseOf(), config) : startPair(t, config));
  const { projectId } = await createTenant(databaseOf());
  const call = (index: number) => apiOf(replicas[index]?.url ?? '', '');
  /** What a browser gets at an address, which it does not follow further. */
  const open = async (index: number, path: string, cookie = '', from = someAddress()) => {
    const headers = { cookie, 'x-forwarded-for': from };
    const answer = await fetch(`${replicas[index]?.url}${path}`, { redirect: 'manual', headers });
    await answer.body?.cancel();
    const got = { location: answer.headers.get('location'), 'set-cookie': answer.headers.getSetCookie() };
    return { status: answer.status, headers: got };
  };
  /** Starts on one replica and comes back to the other. */
  const visit = async (
    claims: Record<string, unknown>,
    { lies = {}, start = {}, headers = {} }: { lies?: ProviderLies; start?: object; headers?: Record<string, string> },
  ) => {
    const asked = { purpose: 'sign_in', return_to: '/#/alerts', ...start };
    const started = await call(0)('POST', '/auth/oidc/start', asked, {
      'x-forwarded-for': someAddress(),
      ...headers,
    });
    if (started.status !== 200) throw new Error(JSON.stringify(started.body));
    const path = provider.signIn(started.body.url, claims, lies);
    const cookies = [started.headers['set-cookie'] ?? []]
      .flat()
      .map(cookie => String(cookie).split(';')[0])
      .join('; ');
    const back = await open(1, path, cookies);
    return { started, back, cookies, path };
  };
  return { provider, replicas, projectId, call, open, visit };
}

const location = (reply: { headers: Record<string, unknown> }) => String(reply.headers.location);
const cookieOf = (reply: { headers: Record<string, unknown> }) =>
  [reply.headers['set-cookie'] ?? []]
    .flat()
    .map(cookie => String(cookie).split(';')[0] ?? '')
    .find(cookie => cookie.startsWith('upquorum=')) ?? '';

test('a known account joins by the link of an invitation alone, not by an address that it was sent to', async t => {
  const { replicas, projectId, call, visit } = await openWorld(t);
  const owner = await personOf(t, databaseOf(), replicas[0]?.url ?? '', { name: 'Owner', project: projectId });
  const other = await createTenant(databaseOf());
  const boss = await personOf(t, databaseOf(), replicas[0]?.url ?? '', { name: 'Boss', project: other.projectId });
  const email = `ida-${projectId}@example.com`;
  const claims = { sub: `ida-${projectId}`, name: 'Ida', email, email_verified: true };
  const invite = (by: typeof owner, project: string, role: string) =>
    by.call(project, 'POST', '/v0/invitations', { role, email }).then(reply => {
      t.is(reply.status, 201, JSON.stringify(reply.body));
      return reply.body.url.split('#')[1] as string;
    });
  await invite(owner, projectId, 'viewer');
  t.is(location((await visit(claims, {})).back), '/#/alerts');
  const secret = await invite(boss, other.projectId, 'admin');
  const { back } = await visit(claims, {});
  const session = () => call(0)('GET', '/dashboard/session', undefined, { cookie: cookieOf(back) });
  const projects = async () => (await session()).body.projects.map(({ id }: { id: string }) => id);
  t.deepEqual(await projects(), [projectId]);
  const { csrf_token: csrf } = (await session()).body;
  const headers = { cookie: cookieOf(back), 'x-csrf-token': csrf, 'x-forwarded-for': someAddress() };
  t.is((await call(1)('POST', '/auth/invitations/accept', { token: secret }, headers)).status, 200);
  t.deepEqual((await projects()).sort(), [projectId, other.projectId].sort());
});

test('somebody invited joins by their account, and comes back later; three tries at once make one person', async t => {
  const { provider, replicas, projectId, call, open, visit } = await openWorld(t);
  const owner = await personOf(t, databaseOf(), replicas[0]?.url ?? '', { name: 'Owner', project: projectId });
  await owner.call(projectId, 'POST', '/v0/invitations', { role: 'editor', email: 'eve@example.com' });
  const claims = { sub: `eve-${projectId}`, name: 'Eve', email: 'eve@example.com', email_verified: true };
  // Who waits for a lock on a busy machine may be asked to come again: a wait has an end.
  const come = async (tries = 10): ReturnType<typeof visit> => {
    const seen = await visit(claims, {});
    return seen.back.status === 503 && tries > 1 ? come(tries - 1) : seen;
  };
  const all = await Promise.all(Array.from({ length: 3 }, () => come()));
  for (const { back } of all) t.deepEqual([back.status, location(back)], [303, '/#/alerts']);
  const people = await withSql(databaseOf(), sql => sql.rows`select 1 from identities where subject = ${claims.sub}`);
  t.is(people.length, 1);
  const [one] = all;
  const session = (
    await call(0)('GET', '/dashboard/session', undefined, { cookie: cookieOf(one?.back ?? { headers: {} }) })
  ).body;
  t.like(session, { method: 'oidc', person: { name: 'Eve', email: 'eve@example.com' } });
  t.is(session.projects[0].role, 'editor');
  t.is(session.logout_url, `${provider.issuer}/logout?x=1&client_id=up`, 'on the replica that did not ask');
  // Once more with the same code, and from a browser that did not begin.
  const again = await open(1, one?.path ?? '', one?.cookies);
  t.is(location(again), '/?sign_in_error=token_invalid');
  t.is(location(await open(1, one?.path ?? '')), '/?sign_in_error=state_unknown');
  const signedIn = await open(1, one?.path ?? '', cookieOf(one?.back ?? { headers: {} }));
  t.is(location(signedIn), '/');
});

// By itself: fifty at once make others wait.
test.serial('roles follow the groups at each sign-in, also when the provider takes them away', async t => {
  const { replicas, projectId, call, visit } = await openWorld(t);
  const owner = await personOf(t, databaseOf(), replicas[0]?.url ?? '', { name: 'Owner', project: projectId });
  const give = (group: string, role: string) =>
    owner.call(projectId, 'POST', '/v0/group-roles', { group, role }).then(reply => {
      t.is(reply.status, 201, JSON.stringify(reply.body));
      return reply.body.id as string;
    });
  const sre = await give('sre', 'admin');
  await give('staff', 'viewer');
  t.like(await owner.call(projectId, 'POST', '/v0/group-roles', { group: 'sre', role: 'viewer' }), { status: 409 });
  const claims = { sub: `gil-${projectId}`, name: 'Gil', email: 'gil@example.com', email_verified: true };
  // Fifty who wait for one lock may be asked to come again: a wait has an end.
  const comes = async (groups: unknown, tries = 10): Promise<string> => {
    const { back } = await visit({ ...claims, groups }, {});
    return back.status === 503 && tries > 1 ? comes(groups, tries - 1) : location(back);
  };
  const membership = async () => {
    const { body } = await owner.call(projectId, 'GET', '/v0/members?q=gil');
    const [member] = body.data;
    return member === undefined ? null : [member.role, member.direct_role, member.group_roles.length];
  };
  t.is(await comes([]), '/?sign_in_error=not_admitted');
  const together = await Promise.all(Array.from({ length: 50 }, () => comes(['staff', 'sre', 'else'])));
  t.deepEqual([...new Set(together)], ['/#/alerts']);
  t.deepEqual(await membership(), ['admin', null, 2]);
  const rows = await withSql(databaseOf(), sql => sql.rows`select 1 from people where email = 'gil@example.com'`);
  t.is(rows.length, 1, 'fifty at once make one person');
  const { body: found } = await owner.call(projectId, 'GET', '/v0/members?q=gil');
  const path = `/v0/members/${found.data[0].person_id}`;
  t.like(await owner.call(projectId, 'DELETE', path), { status: 409, body: { code: 'member_by_group' } });
  t.is(await comes(['staff']), '/#/alerts');
  t.deepEqual(await membership(), ['viewer', null, 1]);
  const session = (await visit({ ...claims, groups: 'staff' }, {})).back;
  const shown = await call(0)('GET', '/dashboard/session', undefined, { cookie: cookieOf(session) });
  t.is(shown.body.projects[0].role, 'viewer');
  t.is(await comes(undefined), '/?sign_in_error=not_admitted', 'a claim that is missing is an empty list');
  const refusals = await withSql(
    databaseOf(),
    sql => sql.rows<{ person: string; after: object }>`
      select p.name as person, a.after
      from audit_entries a
      join people p on p.id = a.subject
      join identities i on i.person_id = p.id
      where a.action = 'session.refused' and i.subject = ${claims.sub} and a.project_id is null`,
  );
  t.deepEqual(refusals[0], { person: 'Gil', after: { method: 'oidc', reason: 'not_admitted' } });
  t.is(await membership(), null);
  t.is((await call(1)('GET', '/dashboard/session', undefined, { cookie: cookieOf(session) })).body.projects.length, 0);
  // A role that somebody gave stays; the higher one counts.
  t.is(await comes(['sre']), '/#/alerts');
  await owner.call(projectId, 'PATCH', path, { role: 'responder' });
  t.deepEqual(await membership(), ['admin', 'responder', 1]);
  t.like(await visit({ ...claims, hasgroups: true }, {}), {
    back: { headers: { location: '/?sign_in_error=groups_incomplete' } },
  });
  t.is((await owner.call(projectId, 'DELETE', `/v0/group-roles/${sre}`)).status, 204);
  t.deepEqual(await membership(), ['responder', 'responder', 0]);
  t.is((await owner.call(projectId, 'DELETE', `/v0/group-roles/${sre}`)).status, 404);
  t.is(await comes([]), '/#/alerts', 'a member whom somebody made one needs no group');
  const { body: audit } = await owner.call(projectId, 'GET', `/v0/audit?limit=100`);
  const told = audit.data.filter((entry: { action: string }) => /^(member|group_role)\./.test(entry.action));
  t.deepEqual(told.map((entry: { action: string }) => entry.action).reverse(), [
    'member.added', // the owner
    'group_role.created',
    'group_role.created',
    'member.added',
    'member.role_changed',
    'member.removed',
    'member.added',
    'member.role_changed',
    'group_role.deleted',
  ]);
  t.like(told.at(-4), { actor: { type: 'person', name: 'Gil' }, after: { reason: 'group' } });
});

test('whatever is wrong with what the provider says: refused, no person, no session', async t => {
  const { visit } = await openWorld(t, { allowedDomains: ['example.com'] });
  const claims = { sub: 'mallory', name: 'M', email: 'm@example.com', email_verified: true };
  const lies: [string, ProviderLies, string][] = [
    ['nonce', { claims: { nonce: 'other' } }, 'token_invalid'],
    ['issuer', { claims: { iss: 'https://else.example' } }, 'token_invalid'],
    ['audience', { claims: { aud: 'else' } }, 'token_invalid'],
    ['expired', { claims: { exp: 1 } }, 'token_invalid'],
    ['none', { alg: 'none' }, 'token_invalid'],
    ['HS256', { alg: 'HS256' }, 'token_invalid'],
    ['a strange key', { strangeKey: true }, 'token_invalid'],
    ['somebody else in userinfo', { claims: { name: undefined }, userinfo: { sub: 'else' } }, 'token_invalid'],
    ['not admitted', { claims: { email: 'm@else.example' } }, 'not_admitted'],
  ];
  for (const [title, lie, error] of lies) {
    const { back } = await visit(claims, { lies: lie });
    t.is(location(back), `/?sign_in_error=${error}`, title);
    t.is(cookieOf(back), '', title);
  }
  const people = await withSql(databaseOf(), sql => sql.rows`select 1 from identities where subject = 'mallory'`);
  t.deepEqual(people, []);
  const { back } = await visit(claims, { start: { return_to: '//evil.example/x' } });
  t.is(location(back), '/');
});

test('a person unlinks an account, but not the last way in, and has five at most', async t => {
  const { replicas, provider, projectId, visit } = await openWorld(t);
  const url = replicas[0]?.url ?? '';
  const ada = await personOf(t, databaseOf(), url, { name: 'Ada', project: projectId });
  const link = (sub: string) =>
    visit({ sub: `${sub}-${projectId}` }, { start: { purpose: 'link' }, headers: ada.headers });
  const own = async () => (await ada.call(null, 'GET', '/v0/me')).body.person.identities;
  const unlink = (id: string) => ada.call(null, 'DELETE', `/v0/me/identities/${id}`);
  await link('first');
  const [first] = await own();
  t.is(first.issuer, provider.issuer);
  t.like(await unlink(first.id), { status: 409, body: { code: 'last_credential' } });
  await link('second');
  const both = await Promise.all((await own()).map(({ id }: { id: string }) => unlink(id)));
  t.deepEqual(both.map(({ status }) => status).sort(), [204, 409], 'of two at once one stays');
  t.is((await own()).length, 1);
  t.is((await unlink(first.id)).status === 404 || first.id === (await own())[0].id, true);
  const [entry] = (await ada.call(projectId, 'GET', '/v0/audit?action=identity.unlinked')).body.data;
  t.like(entry, { subject: ada.id, before: { issuer: provider.issuer }, after: null });
  for (const sub of ['third', 'fourth', 'fifth', 'sixth']) await link(sub);
  await t.throwsAsync(() => link('seventh'), { message: /limit_reached/ });
  // Later a confirmation is asked for, by what the settings still have.
  await withSql(
    databaseOf(),
    sql => sql.run`update sessions set confirmed_at = now() - interval '1 hour' where person_id = ${ada.id}`,
  );
  t.like(await unlink((await own())[0].id), { status: 403, body: { methods: ['oidc'] } });
  const signIn = { methods: ['token'], oidc: null, operators: [] } as const;
  const other = await startReplica(databaseOf(), { publicUrl: origin, signIn });
  t.teardown(() => other.stop());
  const refused = await apiOf(other.url, '')('DELETE', `/v0/me/identities/${first.id}`, undefined, ada.headers);
  t.like(refused, { status: 403, body: { code: 'confirmation_required', methods: [] } });
});

test('what no way in any more is can go: its method is off, or its provider another one', t => {
  const identities = ['https://id.example', 'https://old.example'].map(issuer => {
    return { id: issuer, issuer, created_at: 0, last_used_at: 0 };
  });
  const [now, old] = identities.map(({ issuer }) => ({ issuer }));
  const passkey = { passkey: true } as const;
  const methods = ['oidc', 'passkey', 'token'];
  const cases: [number, typeof now | typeof passkey, readonly string[], boolean][] = [
    [0, now, methods, false],
    [0, old, methods, true],
    [1, now, methods, true],
    [1, passkey, methods, true],
    [1, now, ['oidc'], false],
    [1, passkey, ['oidc'], true],
    [1, passkey, ['passkey'], false],
    [2, passkey, ['passkey'], true],
    [1, now, ['passkey'], true],
  ];
  for (const [passkeys, removed, allowed, isFine] of cases) {
    if (removed === undefined) throw new Error('there are two');
    const ways = { methods: allowed, oidc: { issuer: 'https://id.example' } };
    const remove = () => requireOtherWay({ passkeys, identities, email_verified: true }, removed, ways);
    if (isFine) t.notThrows(remove, JSON.stringify([passkeys, removed, allowed]));
    else t.throws(remove, { message: /last way/ }, JSON.stringify([passkeys, removed, allowed]));
  }
});

test('a person links an account and confirms by it, with a provider that is away or denies', async t => {
  const { provider, replicas, projectId, call, open, visit } = await openWorld(t, {});
  const ada = await personOf(t, databaseOf(), replicas[0]?.url ?? '', { name: 'Ada', project: projectId });
  const claims = { sub: `ada-${projectId}`, name: 'Ada', email: 'ada@example.com' };
  const linked = await visit(claims, { start: { purpose: 'link' }, headers: ada.headers });
  t.is(location(linked.back), '/#/alerts');
  const { back } = await visit(claims, {});
  t.is(location(back), '/#/alerts', 'and signs in by it');
  const auth_time = Math.floor(Date.now() / 1000);
  const start = { purpose: 'confirm' };
  const confirmed = await visit({ ...claims, auth_time }, { start, headers: ada.headers });
  t.is(location(confirmed.back), '/#/alerts');
  const other = await visit({ ...claims, auth_time: auth_time - 600 }, { start, headers: ada.headers });
  t.is(location(other.back), '/?sign_in_error=token_invalid');
  const late = await visit({ ...claims, auth_time: auth_time - 65 }, { start, headers: ada.headers });
  t.is(location(late.back), '/?sign_in_error=token_invalid');
  const silent = await visit(claims, { start, headers: ada.headers });
  t.is(location(silent.back), '/#/alerts', 'some providers never say when');
  const strange = await visit({ sub: 'else', auth_time }, { start, headers: ada.headers });
  t.is(location(strange.back), '/?sign_in_error=wrong_person');
  const asked = await call(0)('POST', '/auth/oidc/start', { purpose: 'sign_in' }, { 'x-forwarded-for': someAddress() });
  const state = new URL(asked.body.url).searchParams.get('state');
  const cookie = String([asked.headers['set-cookie']].flat()[0]).split(';')[0] ?? '';
  const denied = await open(0, `/auth/oidc/callback?error=access_denied&state=${state}`, cookie);
  t.is(location(denied), '/?sign_in_error=provider_denied');
  // From one address: many beginnings, fewer ends.
  const from = { 'x-forwarded-for': someAddress() };
  const starts = [];
  for (let count = 0; count < 25; count++)
    starts.push((await call(0)('POST', '/auth/oidc/start', { purpose: 'sign_in' }, from)).status);
  t.deepEqual([...new Set(starts)], [200]);
  // At once: one after another, a busy machine would let them be forgotten meanwhile.
  const end = () => open(0, '/auth/oidc/callback?state=x', '', from['x-forwarded-for']);
  const ends = await Promise.all(Array.from({ length: 40 }, end));
  t.deepEqual([...new Set(ends.map(({ status }) => status))].sort(), [303, 429]);
  provider.isAway = true;
  const away = await visit(claims, {});
  t.is(location(away.back), '/?sign_in_error=provider_unavailable');
});

test('who signs out at the provider is signed out on every replica, and nothing forged ends anything', async t => {
  const { provider, replicas, projectId, call, visit } = await openWorld(t, { allowedDomains: ['example.com'] });
  const owner = await personOf(t, databaseOf(), replicas[0]?.url ?? '', { name: 'Owner', project: projectId });
  const page = { name: 'Inside', slug: `in-${projectId.slice(-8)}`, access: { type: 'members' } };
  const { id } = (await owner.call(projectId, 'POST', '/v0/status-pages', page)).body;
  const sub = `leo-${projectId}`;
  const claims = { sub, name: 'Leo', email: 'leo@example.com', email_verified: true };
  await owner.call(projectId, 'POST', '/v0/invitations', { role: 'viewer', email: 'leo@example.com' });
  const enter = async (sid: string) => {
    const cookie = cookieOf((await visit({ ...claims, sid }, {})).back);
    const { csrf_token } = (await call(0)('GET', '/dashboard/session', undefined, { cookie })).body;
    return { cookie, 'x-csrf-token': csrf_token as string };
  };
  const isIn = async (headers: Record<string, string>) =>
    (await Promise.all([0, 1].map(index => call(index)('GET', '/v0/me', undefined, headers)))).map(
      ({ status }) => status === 200,
    );
  const post = (token: string) => call(1)('POST', '/auth/oidc/logout', `logout_token=${token}`, form);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const [first, second] = [await enter('s1'), await enter('s2')];
  const ticket = new URL((await call(0)('POST', `/auth/pages/${id}/ticket`, undefined, first)).body.url);
  const seen = async () => {
    const path = `${replicas[0]?.url}${ticket.pathname}`;
    const answer = await fetch(`${path}${ticket.search}`, { redirect: 'manual' });
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return (await fetch(path.replace('/access', ''), { headers: { cookie } })).status;
  };
  await until(seen, 200);
  const forged = [
    provider.logoutToken({ sub }, { strangeKey: true }),
    provider.logoutToken({ sub }, { alg: 'none' }),
    provider.logoutToken({ sub }, { alg: 'HS256' }),
    provider.logoutToken({ sub, aud: 'else' }),
    provider.logoutToken({ sub, iss: 'https://else.example' }),
    provider.logoutToken({ sub, iat: Math.floor(Date.now() / 1000) - 180 }),
    provider.logoutToken({ sub, nonce: 'n' }),
    provider.logoutToken({ sub, events: {} }),
    provider.logoutToken({}),
    'x',
    '',
  ];
  for (const token of forged) t.like(await post(token), { status: 400, body: { error: 'invalid_request' } });
  t.like(await call(1)('POST', '/auth/oidc/logout', 'x'.repeat(100), form), { status: 400 });
  t.deepEqual([await isIn(first), await isIn(second)].flat(), [true, true, true, true]);
  t.is((await post(provider.logoutToken({ sub: 'nobody', sid: 's9' }))).status, 200, 'unknown ones too');
  t.is((await post(provider.logoutToken({ sub, sid: 's1' }))).status, 200);
  t.deepEqual([await isIn(first), await isIn(second)].flat(), [false, false, true, true], 'of that session alone');
  await until(seen, 403);
  t.is((await post(provider.logoutToken({ sub }))).status, 200);
  t.deepEqual(await isIn(second), [false, false]);
  const { data } = (await owner.call(projectId, 'GET', '/v0/audit?limit=100')).body;
  const ends = data.filter((entry: { action: string }) => entry.action === 'session.ended');
  t.deepEqual(
    ends.map(({ before }: { before: object }) => ({ ...before, expires_at: null })),
    Array.from({ length: 2 }, () => ({ expires_at: null, method: 'oidc', reason: 'provider' })),
  );
});

test('doctor, and operators in the dashboard, see what is wrong with signing in', async t => {
  const { provider, replicas, projectId } = await openWorld(t, {});
  const { settings: read } = settingsOf({ OIDC_ISSUER: `${provider.issuer}/`, OIDC_CLIENT_ID: 'up' });
  const find = () => signInFindings(read, 'https://new.example', work => withSql(databaseOf(), work));
  const finding = async (name: string) => (await find()).find(found => found.name === name);
  t.like(await finding('identity provider'), { status: 'fail', advice: `set OIDC_ISSUER=${provider.issuer}` });
  provider.isAway = true;
  t.regex((await finding('identity provider'))?.detail ?? '', /does not answer/);
  provider.isAway = false;
  const url = replicas[0]?.url ?? '';
  const ada = await personOf(t, databaseOf(), url, { name: 'Ada', project: projectId, role: 'viewer' });
  t.like(await finding('admins'), { status: 'warn' });
  t.true((await finding('admins'))?.detail.includes(projectId));
  t.is((await ada.call(null, 'GET', '/v0/installation/sign-in')).status, 403);
  const root = await personOf(t, databaseOf(), url, { name: 'Root', operator: true });
  const { data } = (await root.call(null, 'GET', '/v0/installation/sign-in')).body;
  t.deepEqual(
    data.map(({ name, status }: Record<string, string>) => [name, status]),
    [
      ['sign-in', 'ok'],
      ['identity provider', 'ok'],
      ['passkeys', 'ok'],
      ['admins', 'warn'],
    ],
  );
  await until(
    async () => /^upquorum_projects_without_admin [1-9]/m.test(await (await fetch(`${url}/metrics`)).text()),
    true,
  );
  t.is(
    passkeysFinding(
      [
        { host: null, count: 1 },
        { host: 'a.example', count: 2 },
      ],
      'a.example',
    ).status,
    'ok',
  );
  const moved = [{ host: 'b.example', count: 2 }];
  t.regex(passkeysFinding(moved, 'a.example').detail, /^2 of b\.example sign in nobody at a\.example/);
  t.is(passkeysFinding(moved, null).status, 'warn');
});
