import test, { type ExecutionContext } from 'ava';
import { readSignInSettings } from '#control-plane/access/oidc/settings.ts';
import { passkeyPlace } from '#control-plane/access/passkeys/place.ts';
import type { ControlPlaneConfig } from '#control-plane/config.ts';
import type { Clock } from '#shared/clock.ts';
import { EnvReader } from '#shared/env.ts';
import { parseRange } from '#shared/network/guard.ts';
import { type Lies, SoftwareAuthenticator } from '#test/support/authenticator.ts';
import { apiOf, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { personOf, sessionHeaders, someAddress } from '#test/support/people.ts';
import { sharedPair } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const origin = 'http://localhost:8080';
const proxies = parseRange('127.0.0.0/8');

function configOf(operators = ''): Partial<ControlPlaneConfig> {
  const signIn = readSignInSettings(new EnvReader(operators === '' ? {} : { OPERATORS: operators }), origin);
  return { publicUrl: origin, trustedProxies: proxies === null ? [] : [proxies], signIn };
}

type Own = { operators?: string; clock?: Clock };

/** Two replicas of which the first has OPERATORS. */
async function startPair(t: ExecutionContext, { operators, clock }: Own) {
  const start = (config: Partial<ControlPlaneConfig>) => startReplica(databaseOf(), config, clock);
  const replicas = [await start(configOf(operators)), await start(configOf())] as const;
  t.teardown(() => Promise.all(replicas.map(replica => replica.stop())));
  return replicas;
}

/** On the two replicas of the file, or on two of its own. */
async function openWorld(t: ExecutionContext, own?: Own) {
  const replicas = await (own === undefined ? sharedPair(databaseOf(), configOf()) : startPair(t, own));
  const { projectId } = await createTenant(databaseOf());
  const post = (path: string, body: unknown, headers: Record<string, string> = {}, replica: Replica = replicas[0]) =>
    apiOf(replica.url, '')('POST', path, body, { 'x-forwarded-for': someAddress(), ...headers });
  const person = (name: string) => personOf(t, databaseOf(), replicas[0].url, { name, project: projectId });
  return { replicas, projectId, post, person };
}
type Replica = Awaited<ReturnType<typeof startReplica>>;
type World = Awaited<ReturnType<typeof openWorld>>;

/** Adds a passkey to a session. */
async function register(t: ExecutionContext, { post }: World, headers: Record<string, string>) {
  const authenticator = new SoftwareAuthenticator(origin);
  const { body } = await post('/auth/passkeys/options', { purpose: 'register' }, headers);
  const credential = authenticator.create(body.public_key);
  const added = await post('/auth/passkeys/verify', { ticket: body.ticket, credential, name: 'Laptop' }, headers);
  t.is(added.status, 200, JSON.stringify(added.body));
  return { authenticator, passkey: added.body };
}

/** Signs in with a passkey, which may lie. */
async function signIn(
  { post, replicas }: World,
  authenticator: SoftwareAuthenticator,
  lies: Lies = {},
  replica: Replica = replicas[0],
) {
  const { body } = await post('/auth/passkeys/options', { purpose: 'sign_in' });
  const credential = authenticator.get(body.public_key, lies);
  return post('/auth/passkeys/verify', { ticket: body.ticket, credential }, {}, replica);
}

test('passkeys need https and a name, or localhost', t => {
  t.deepEqual(passkeyPlace('https://up.example:8443/x'), { rpId: 'up.example', origin: 'https://up.example:8443' });
  t.deepEqual(passkeyPlace(origin), { rpId: 'localhost', origin });
  for (const url of ['http://up.example', 'https://10.0.0.1', 'https://[::1]:8080', 'http://127.0.0.1:8080'])
    t.is(passkeyPlace(url), null, url);
});

test('a passkey is added, signs in without a name, and confirms', async t => {
  let ahead = 0;
  const world = await openWorld(t, { clock: { now: () => Date.now() + ahead } });
  const ada = await world.person('Ada');
  const { authenticator, passkey } = await register(t, world, ada.headers);
  const reply = await signIn(world, authenticator);
  t.is(reply.status, 201, JSON.stringify(reply.body));
  t.like(reply.body, { method: 'passkey', person: { id: ada.id } });
  const headers = { ...sessionHeaders(reply), 'x-project-id': world.projectId };
  ahead = 11 * 60_000;
  const api = apiOf(world.replicas[1].url, '');
  const late = await api('POST', '/v0/tokens', { name: 'ci', scopes: ['monitors:read'] }, headers);
  t.like(late.body, { code: 'confirmation_required', methods: ['passkey'] });
  const { body } = await world.post('/auth/passkeys/options', { purpose: 'confirm' }, headers);
  t.is(body.public_key.allowCredentials[0].id, authenticator.id.toString('base64url'));
  const credential = authenticator.get(body.public_key);
  t.is((await world.post('/auth/passkeys/verify', { ticket: body.ticket, credential }, headers)).status, 200);
  t.is((await api('POST', '/v0/tokens', { name: 'ci', scopes: ['monitors:read'] }, headers)).status, 201);
  t.like((await api('GET', '/v0/me/passkeys', undefined, headers)).body.data[0], { id: passkey.id, name: 'Laptop' });
  const renamed = await api('PATCH', `/v0/me/passkeys/${passkey.id}`, { name: 'Phone' }, headers);
  t.is(renamed.body.name, 'Phone');
  const hosts = await withSql(databaseOf(), sql => sql.rows`select rp_id from passkeys where id = ${passkey.id}`);
  t.deepEqual(hosts, [{ rp_id: 'localhost' }]);
  t.is((await api('DELETE', `/v0/me/passkeys/${passkey.id}`, undefined, headers)).body.code, 'last_credential');
  await register(t, world, headers);
  t.is((await api('DELETE', `/v0/me/passkeys/${passkey.id}`, undefined, headers)).status, 204);
  t.is((await signIn(world, authenticator)).body.code, 'sign_in_refused');
});

test('whatever is wrong with a passkey gets one answer, and changes nothing', async t => {
  let ahead = 0;
  const world = await openWorld(t, { clock: { now: () => Date.now() + ahead } });
  const ada = await world.person('Ada');
  const bob = await world.person('Bob');
  const { authenticator } = await register(t, world, ada.headers);
  const strange = new SoftwareAuthenticator(origin);
  const answers = [
    await signIn(world, authenticator, { origin: 'http://localhost:9090' }),
    await signIn(world, authenticator, { rpId: 'evil.example' }),
    await signIn(world, authenticator, { challenge: 'AAAA' }),
    await signIn(world, authenticator, { verified: false }),
    await signIn(world, authenticator, { type: 'webauthn.create' }),
    await signIn(world, authenticator, { signature: Buffer.from('3006020101020101', 'hex') }),
    await signIn(world, authenticator, { client: { crossOrigin: true } }),
    await signIn(world, authenticator, { client: { topOrigin: 'https://evil.example' } }),
    await signIn(world, authenticator, { flags: 1 }),
    await signIn(world, authenticator, { flags: 8 }),
    await signIn(world, authenticator, { flags: 16 }),
    await signIn(world, authenticator, { flags: 24 }),
    await signIn(world, authenticator, { userHandle: null }),
    await signIn(world, authenticator, { userHandle: Buffer.alloc(64).toString('base64url') }),
    await signIn(world, strange),
    await world.post('/auth/passkeys/verify', { ticket: 'x', credential: authenticator.get({ challenge: 'x' }) }),
  ];
  // A counter that does not grow: somebody has a copy.
  t.is((await signIn(world, authenticator, { counter: 9 })).status, 201);
  answers.push(await signIn(world, authenticator, { counter: 9 }), await signIn(world, authenticator, { counter: 3 }));
  // Another person's passkey confirms nothing.
  const { body } = await world.post('/auth/passkeys/options', { purpose: 'confirm' }, bob.headers);
  const credential = authenticator.get({ ...body.public_key, rpId: 'localhost' }, { counter: 20 });
  answers.push(await world.post('/auth/passkeys/verify', { ticket: body.ticket, credential }, bob.headers));
  // One that is made in a frame, that brings certificates, or that is too long.
  const x5c = Buffer.concat([Buffer.from([0xa1, 0x63]), Buffer.from('x5c'), Buffer.from([0x81, 0x41, 0])]);
  const makings: Lies[] = [
    { client: { crossOrigin: true } },
    { client: { crossOrigin: false, topOrigin: 'https://evil.example' } },
    { attestation: { fmt: 'packed', statement: x5c } },
    { attestation: { fmt: 'apple', statement: x5c } },
    { idBytes: 1024 },
    { verified: false },
    { flags: 1 },
    { flags: 16 },
  ];
  for (const lies of makings) {
    const { ticket, public_key } = (await world.post('/auth/passkeys/options', { purpose: 'register' }, bob.headers))
      .body;
    const made = new SoftwareAuthenticator(origin).create(public_key, lies);
    answers.push(await world.post('/auth/passkeys/verify', { ticket, credential: made }, bob.headers));
  }
  // A ticket that is too old.
  const old = (await world.post('/auth/passkeys/options', { purpose: 'sign_in' })).body;
  ahead = 6 * 60_000;
  const late = { ticket: old.ticket, credential: authenticator.get(old.public_key, { counter: 30 }) };
  answers.push(await world.post('/auth/passkeys/verify', late));
  for (const answer of answers) {
    const { request_id: _, ...rest } = answer.body;
    const { request_id: __, ...first } = answers[0]?.body ?? {};
    t.deepEqual([answer.status, rest], [401, first]);
    t.is(answer.headers['set-cookie'], undefined);
  }
  const { data } = (await ada.call(world.projectId, 'GET', '/v0/audit?action=session.refused')).body;
  t.like(data[0], { actor: { type: 'person', id: ada.id }, after: { method: 'passkey', reason: 'sign_in_refused' } });
  t.is(data[0].request_id, answers.at(-1)?.body.request_id, 'one with an old ticket, too');
});

// By itself, as others fill buckets of their own meanwhile.
test.serial('refusals of whoever is unknown leave room for those of the known', async t => {
  const world = await openWorld(t);
  const ada = await world.person('Ada');
  const { authenticator } = await register(t, world, ada.headers);
  t.is((await signIn(world, new SoftwareAuthenticator(origin))).status, 401);
  await withSql(databaseOf(), sql => sql.run`update rate_buckets set tokens = -999 where key like 'refused sign-ins%'`);
  t.is((await signIn(world, authenticator, { verified: false })).status, 401);
  const { data } = (await ada.call(world.projectId, 'GET', '/v0/audit?action=session.refused')).body;
  t.deepEqual(
    data.map(({ actor }: { actor: { id: string } }) => actor.id),
    [ada.id],
  );
});

test('OPERATORS makes an operator of who signs in by a passkey, until the list names them no more', async t => {
  const world = await openWorld(t, { operators: 'Ada@example.com,bob@example.com,cy@example.com' });
  const [ada, bob] = [await world.person('Ada'), await world.person('Bob')];
  const [gone, back] = [await world.person('Cy'), await world.person('Cy again')];
  await withSql(databaseOf(), async sql => {
    await sql.run`
      update people set email = 'Cy@example.com', email_verified = true where id in (${gone.id}, ${back.id})`;
    await sql.run`update people set state = 'deactivated' where id = ${gone.id}`;
    await sql.run`update people set email = 'ada@EXAMPLE.com', email_verified = true where id = ${ada.id}`;
    await sql.run`update people set email = 'bob@example.com' where id = ${bob.id}`;
  });
  const [hers, his] = [await register(t, world, ada.headers), await register(t, world, bob.headers)];
  const operates = async (authenticator: SoftwareAuthenticator, replica?: Replica) => {
    const reply = await signIn(world, authenticator, {}, replica);
    t.is(reply.status, 201, JSON.stringify(reply.body));
    const people = await apiOf(world.replicas[0].url, '')('GET', '/v0/people', undefined, sessionHeaders(reply));
    return [reply.body.person.operator, people.status];
  };
  t.deepEqual(await operates(hers.authenticator), [true, 200]);
  t.deepEqual(await operates(his.authenticator), [false, 403], 'nobody has verified his address');
  const { authenticator } = await register(t, world, back.headers);
  t.deepEqual(await operates(authenticator), [false, 403], 'the address of somebody who was sent away');
  t.deepEqual(await operates(hers.authenticator, world.replicas[1]), [false, 403]);
});

test('whether a passkey may be synced never changes; of one from before, its next use says it', async t => {
  const world = await openWorld(t);
  const ada = await world.person('Ada');
  const { authenticator } = await register(t, world, ada.headers);
  const statusesOf = async (...all: number[]) => {
    const statuses: number[] = [];
    for (const flags of all) statuses.push((await signIn(world, authenticator, { flags })).status);
    return statuses;
  };
  t.deepEqual(await statusesOf(0, 8, 24, 0), [201, 401, 401, 201]);
  await withSql(databaseOf(), sql => sql.run`update passkeys set backup_eligible = null where person_id = ${ada.id}`);
  t.deepEqual(await statusesOf(24, 8, 0, 24), [201, 201, 401, 201]);
  const { data } = (await ada.call(null, 'GET', '/v0/me/passkeys')).body;
  t.is(data[0].synced, true);
});

test('a ticket that is used on two replicas at once counts once', async t => {
  const world = await openWorld(t);
  const ada = await world.person('Ada');
  const { authenticator } = await register(t, world, ada.headers);
  const { body } = await world.post('/auth/passkeys/options', { purpose: 'sign_in' });
  const sent = { ticket: body.ticket, credential: authenticator.get(body.public_key) };
  const replies = await Promise.all(
    world.replicas.map(replica => world.post('/auth/passkeys/verify', sent, {}, replica)),
  );
  t.deepEqual(replies.map(({ status }) => status).sort(), [201, 401]);
});

test('somebody new joins by an invitation and a passkey, once', async t => {
  const world = await openWorld(t);
  const { projectId } = world;
  const owner = await world.person('Owner');
  const invited = await owner.call(projectId, 'POST', '/v0/invitations', { role: 'editor', email: 'eve@example.com' });
  const invitation = invited.body.url.split('#')[1];
  const look = await world.post('/auth/invitations/look', { token: invitation });
  t.deepEqual(look.body.methods, ['passkey']);
  const join = async (authenticator: SoftwareAuthenticator) => {
    const asked = { purpose: 'register', invitation, name: 'Eve' };
    const { body } = await world.post('/auth/passkeys/options', asked);
    t.is(body.public_key.user.displayName, 'Eve');
    return { ticket: body.ticket, credential: authenticator.create(body.public_key) };
  };
  const authenticator = new SoftwareAuthenticator(origin);
  const tries = [await join(authenticator), await join(new SoftwareAuthenticator(origin))];
  const replies = await Promise.all(tries.map(sent => world.post('/auth/passkeys/verify', sent)));
  t.deepEqual(replies.map(({ status }) => status).sort(), [201, 410]);
  const joined = replies.find(({ status }) => status === 201);
  t.like(joined?.body, { method: 'passkey', person: { name: 'Eve', email: null } });
  t.is(joined?.body.projects[0].role, 'editor');
  t.is((await world.post('/auth/passkeys/options', { purpose: 'register', invitation })).body.code, 'link_expired');
  const people = (await owner.call(projectId, 'GET', '/v0/members?q=eve')).body.data;
  t.is(people.length, 1, 'the other try left nobody');
});

test('where browsers offer no passkeys, none is offered', async t => {
  const replica = await startReplica(databaseOf(), { publicUrl: 'http://10.1.2.3:8080' });
  t.teardown(() => replica.stop());
  const reply = await apiOf(replica.url, '')('POST', '/auth/passkeys/options', { purpose: 'sign_in' });
  t.is(reply.body.code, 'method_disabled');
});
