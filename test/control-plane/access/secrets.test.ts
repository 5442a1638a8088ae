import { createHash, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { readSignInSettings } from '#control-plane/access/oidc/settings.ts';
import { startControlPlane } from '#control-plane/control-plane.ts';
import { EnvReader } from '#shared/env.ts';
import { createLog } from '#shared/log.ts';
import { parseRange } from '#shared/network/guard.ts';
import { admin } from '#test/support/admin.ts';
import { SoftwareAuthenticator } from '#test/support/authenticator.ts';
import { apiOf, configFor, createTenant, type Reply, testSecretKey, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startIdentityProvider } from '#test/support/identity-provider.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { someAddress } from '#test/support/people.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);
const origin = 'http://localhost:8080';
const clientSecret = 'client-secret-of-the-installation';

/** What an answer says, in its body and headers. */
const textOf = ({ body, headers }: Reply) => `${JSON.stringify(body)} ${JSON.stringify(headers)}`;
const cookiesOf = ({ headers }: Reply) => [headers['set-cookie'] ?? []].flat().map(each => each.split(';')[0] ?? '');
const valueIn = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);

test('no secret of a full run is in a log, a table, the audit or any answer but its first', async t => {
  await using provider = await startIdentityProvider();
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'trace', destination: { write: line => lines.push(line) } });
  const env = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'up', OIDC_CLIENT_SECRET: clientSecret };
  const signIn = readSignInSettings(new EnvReader(env), origin);
  const trustedProxies = [parseRange('127.0.0.0/8')].filter(range => range !== null);
  await using mailbox = await startMailbox();
  const config = configFor(databaseOf(), { publicUrl: origin, trustedProxies, signIn, smtpUrl: mailbox.url });
  const replica = await startControlPlane(config, log);
  t.teardown(() => replica.stop());
  const { token, projectId } = await createTenant(databaseOf());

  const answers: string[] = [];
  const secrets = new Map<string, string>([
    ['the secret of the client', clientSecret],
    ['the first token', token],
  ]);
  const hide = (name: string, secret: string | null | undefined) => {
    if (secret == null || secret.length < 8) throw new Error(`no secret: ${name}`);
    secrets.set(name, secret);
    return secret;
  };
  const call = async (path: string, body?: unknown, headers: Record<string, string> = {}, method = 'POST') => {
    const from = { 'x-forwarded-for': someAddress(), accept: 'application/json, text/html', ...headers };
    const reply = await apiOf(replica.url, '')(method as 'POST', path, body, from);
    answers.push(textOf(reply));
    return reply;
  };
  const visit = async (path: string, headers: Record<string, string> = {}, form?: Record<string, string>) => {
    const answer = await fetch(`${replica.url}${path}`, {
      redirect: 'manual',
      headers: { 'x-forwarded-for': someAddress(), accept: 'text/html', ...headers },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    const all = { ...Object.fromEntries(answer.headers), 'set-cookie': answer.headers.getSetCookie() };
    const reply = { status: answer.status, headers: all, body: await answer.text() };
    answers.push(textOf(reply));
    return reply;
  };
  /** A session and what it sends. */
  const session = (name: string, reply: Reply) => {
    t.is(reply.status, 201, JSON.stringify(reply.body));
    const cookie = cookiesOf(reply)[0] ?? '';
    hide(`the session ${name}`, valueIn(cookie));
    hide(`the CSRF token ${name}`, reply.body.csrf_token);
    return { cookie, 'x-csrf-token': reply.body.csrf_token as string, 'x-project-id': projectId };
  };
  const linkOf = (name: string, url: string) => hide(name, url.split('#')[1]);

  // Links, sessions, invitations, tokens.
  const create = async (name: string, more: string[]) => {
    const args = ['person', 'create', '--name', name, '--project', projectId, '--role', 'admin', ...more];
    return (await admin(databaseOf(), args, { secretsKeys: [testSecretKey] })) as { id: string; url: string };
  };
  const [made, other] = [await create('Ada', ['--operator']), await create('Bob', [])];
  const bobLink = linkOf('a link that nobody uses', other.url);
  const link = linkOf('the link of a command', made.url);
  const ada = session('by a link', await call('/auth/links/use', { token: link }));
  t.is((await call('/auth/links/use', { token: link })).status, 410);
  const second = (await call(`/v0/people/${other.id}/link`, undefined, ada)).body.url;
  const bob = session(
    'by an operator’s link',
    await call('/auth/links/use', { token: linkOf('of an operator', second) }),
  );
  await call('/auth/links/use', { token: bobLink });
  const invited = (await call('/v0/invitations', { role: 'viewer' }, ada)).body;
  linkOf('an invitation', invited.url);
  const invitation = linkOf('another', (await call('/v0/invitations', { role: 'editor' }, ada)).body.url);
  linkOf(
    'of an invitation by mail',
    (await call('/v0/invitations', { role: 'viewer', email: 'dora@example.com' }, ada)).body.url,
  );
  const [mail] = await until(
    () => mailbox.to('dora@example.com'),
    found => found.length === 1,
  );
  hide('the link in the mail', /#(upi_\w+)/.exec(mail?.text ?? '')?.[1]);
  await call('/auth/invitations/look', { token: invitation });
  await call('/auth/invitations/accept', { token: invitation }, bob);
  const key = { ...ada, 'idempotency-key': randomUUID() };
  const service = { name: 'ci', scopes: ['monitors:read'] };
  hide('a service token', (await call('/v0/tokens', service, key)).body.token);
  session('by a token', await call('/dashboard/session', { token }));
  await call('/dashboard/session', { token: hide('a token that is none', `upq_${'x'.repeat(40)}`) });

  // Passkeys.
  const authenticator = new SoftwareAuthenticator(origin);
  const ticketOf = async (purpose: string, headers = {}) => {
    const { body } = await call('/auth/passkeys/options', { purpose }, headers);
    hide(`a ticket to ${purpose}`, body.ticket);
    hide(`a challenge to ${purpose}`, body.public_key.challenge);
    return body;
  };
  const adding = await ticketOf('register', ada);
  const credential = authenticator.create(adding.public_key);
  await call('/auth/passkeys/verify', { ticket: adding.ticket, credential, name: 'Laptop' }, ada);
  const coming = await ticketOf('sign_in');
  const answer = { ticket: coming.ticket, credential: authenticator.get(coming.public_key) };
  session('by a passkey', await call('/auth/passkeys/verify', answer));
  t.is((await call('/auth/passkeys/verify', answer)).status, 401);

  // An account.
  const linking = await call('/auth/oidc/start', { purpose: 'link' }, ada);
  const state = cookiesOf(linking).find(cookie => cookie.includes('oidc')) ?? '';
  hide('the cookie of a sign-in', valueIn(state));
  const asked = new URL(linking.body.url).searchParams;
  hide('its nonce', asked.get('nonce'));
  hide('its state', asked.get('state'));
  const back = provider.signIn(linking.body.url, { sub: 'ada', name: 'Ada', email: 'ada@example.com' });
  hide('its code', new URL(back, origin).searchParams.get('code'));
  const linked = await visit(back, { cookie: `${state}; ${ada.cookie}` });
  t.like(linked, { status: 303, headers: { location: '/' } });
  await visit(back, { cookie: state });

  // Private pages.
  const pageOf = async (slug: string, access: object) => {
    const body = { name: slug, slug, access };
    const keyed = { ...ada, 'idempotency-key': randomUUID() };
    const reply = await call('/v0/status-pages', body, keyed);
    t.is(reply.status, 201, JSON.stringify(reply.body));
    await call('/v0/status-pages', `${JSON.stringify(body)} `, keyed);
    const plain = createHash('sha256')
      .update(`post /v0/status-pages\n${JSON.stringify(body)}`)
      .digest('hex');
    return { ...reply.body, plain };
  };
  const password = hide('the password of a page', 'correct horse battery');
  const [locked, linkPage, inside] = [
    await pageOf('locked', { type: 'password', password }),
    await pageOf('linked', { type: 'link' }),
    await pageOf('inside', { type: 'members' }),
  ];
  const enter = async (name: string, work: () => Promise<Reply>) => {
    const { headers } = await until(work, reply => reply.status === 303);
    hide(name, valueIn(String(headers['set-cookie']).split(';')[0] ?? ''));
  };
  await until(
    () => visit('/status/locked'),
    reply => reply.status === 403,
  );
  await visit('/status/locked/access', {}, { password: hide('a password that is wrong', 'battery horse') });
  await enter('the cookie of a password', () => visit('/status/locked/access', {}, { password }));
  const former = hide('the link of a page', new URL(linkPage.access.url).searchParams.get('access'));
  await enter('the cookie of a link', () => visit(`/status/linked?access=${former}`));
  const { url } = (await call(`/v0/status-pages/${linkPage.id}/rotate-link`, undefined, ada)).body.access;
  hide('its next link', new URL(url).searchParams.get('access'));
  await visit(`/status/linked?access=${former}`);
  const { url: ticketUrl } = (await call(`/auth/pages/${inside.id}/ticket`, undefined, ada)).body;
  const ticket = hide('a ticket of a page', new URL(ticketUrl).searchParams.get('ticket'));
  await enter('the cookie of a member', () => visit(`/status/inside/access?ticket=${ticket}`));
  await visit(`/status/inside/access?ticket=${ticket}x`);
  const feed = new URL(locked.access.feed_url).searchParams.get('key') ?? '';
  await visit(`/status/locked/feed.rss?key=${feed}`);

  for (const path of ['/v0/audit?limit=200', '/v0/installation/audit?limit=200', '/v0/tokens', '/v0/invitations'])
    t.is((await call(path, undefined, ada, 'GET')).status, 200, path);
  for (const path of ['/v0/me', '/v0/me/sessions', '/v0/status-pages', '/v0/people', '/v0/deliveries', '/metrics'])
    await call(path, undefined, ada, 'GET');
  await replica.stop();

  const rows = Object.values(await readTables(databaseOf())).flat();
  const published = rows.flatMap(row => {
    const zipped = JSON.parse(row).body_gzip;
    return typeof zipped === 'string' ? [gunzipSync(Buffer.from(zipped.slice(2), 'hex')).toString('latin1')] : [];
  });
  const [tables, logs] = [[...rows, ...published].join('\n'), lines.join('\n')];
  t.true(logs.includes('/auth/links/use') && tables.includes(inside.id));
  t.true(secrets.size >= 30, `${secrets.size}`);
  for (const [name, secret] of new Map([...secrets, ['the key of feeds', feed]])) {
    t.false(logs.includes(secret), `${name} in a log`);
    const hex = Buffer.from(secret).toString('hex');
    for (const form of [secret, hex, encodeURIComponent(secret)]) t.false(tables.includes(form), `${name} in a table`);
    // The key of feeds is shown to whoever may write the page.
    if (secret !== feed) t.true(answers.filter(text => text.includes(secret)).length <= 1, `${name} in more answers`);
  }
  for (const { plain } of [locked, linkPage, inside]) t.false(tables.includes(plain), 'a hash to guess at');
  t.false(tables.includes(createHash('sha256').update(password).digest('hex')), 'a hash of the password');
});
