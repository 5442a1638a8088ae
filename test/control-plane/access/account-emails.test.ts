import test from 'ava';
import { parseRange } from '#shared/network/guard.ts';
import { admin } from '#test/support/admin.ts';
import { SoftwareAuthenticator } from '#test/support/authenticator.ts';
import { apiOf, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type ReceivedEmail, startMailbox } from '#test/support/mailbox.ts';
import { personOf, someAddress } from '#test/support/people.ts';

const databaseOf = useDatabase(test);
const origin = 'http://localhost:8080';
const proxies = parseRange('127.0.0.0/8');

test('people are emailed once of each new way into their account, and of who joins their project', async t => {
  await using mailbox = await startMailbox();
  const config = { publicUrl: origin, trustedProxies: proxies === null ? [] : [proxies], smtpUrl: mailbox.url };
  const { url, stop } = await startReplica(databaseOf(), config);
  t.teardown(stop);
  const { projectId } = await createTenant(databaseOf());
  const address = (name: string) => `${name}-${projectId}@example.com`.toLowerCase();
  const person = (name: string, more: object = {}) =>
    personOf(t, databaseOf(), url, { name, email: address(name), ...more });
  const ada = await person('Ada', { project: projectId });
  const bob = await person('Bob', { project: projectId });
  const root = await person('Root', { operator: true });
  const verify = (id: string) =>
    withSql(databaseOf(), sql => sql.run`update people set email_verified = true where id = ${id}`);
  const post = (path: string, body: unknown, headers: Record<string, string>) =>
    apiOf(url, '')('POST', path, body, { 'x-forwarded-for': someAddress(), ...headers });
  const register = async (headers: Record<string, string>, name: string) => {
    const { body } = await post('/auth/passkeys/options', { purpose: 'register' }, headers);
    const credential = new SoftwareAuthenticator(origin).create(body.public_key);
    return post('/auth/passkeys/verify', { ticket: body.ticket, credential, name }, headers);
  };
  t.is((await register(ada.headers, 'Unknown')).status, 200);
  for (const { id } of [ada, root]) await verify(id);

  t.is((await register(ada.headers, 'https://evil.example <b>')).status, 200);
  t.is((await root.call(null, 'POST', `/v0/people/${ada.id}/link`)).status, 201);
  await admin(databaseOf(), ['person', 'link', '--id', ada.id]);
  const invited = await ada.call(projectId, 'POST', '/v0/invitations', { role: 'viewer' });
  const carl = await person('Carl');
  const used = await post('/auth/invitations/accept', { token: invited.body.url.split('#')[1] }, carl.headers);
  t.is(used.status, 200, JSON.stringify(used.body));
  for (const _ of [1, 2]) t.is((await root.call(null, 'POST', `/v0/projects/${projectId}/join`)).status, 200);
  t.is((await root.call(null, 'POST', `/v0/people/${bob.id}/link`)).status, 201);

  const titles = [
    'A passkey was added to your account',
    'A sign-in link was made for you',
    'A sign-in link was made for you',
    'An operator joined your project',
    'Your invitation was used',
  ];
  await until(() => mailbox.to(address('Ada')).length, titles.length);
  const emails = mailbox.to(address('Ada'));
  const subjectOf = ({ headers }: ReceivedEmail) => headers.get('subject')?.[0] ?? '';
  t.deepEqual(emails.map(subjectOf).sort(), titles);
  const textOf = (title: string) =>
    emails
      .filter(email => subjectOf(email) === title)
      .map(({ text }) => text)
      .join();
  t.regex(textOf('Your invitation was used'), /“Carl” joined the project .* as viewer/);
  t.regex(textOf('An operator joined your project'), /“Root”, who runs the installation, is now an admin/);
  t.regex(textOf('A sign-in link was made for you'), /“Root”, who runs.*Whoever runs the installation made/s);
  t.notRegex(textOf('A passkey was added to your account'), /evil\.example/);
  t.notRegex(JSON.stringify(emails), /upi_/);
  t.deepEqual(
    [address('Bob'), address('Root'), address('Carl')].flatMap(mailbox.to),
    [],
    'nobody else, none unverified',
  );

  const listed = (await ada.call(projectId, 'GET', '/v0/deliveries?channel=email')).body.data;
  t.deepEqual(
    listed.map(({ kind, channel, recipient_id }: Record<string, string>) => [kind, channel, recipient_id]),
    [
      ['account', 'email', ada.id],
      ['account', 'email', ada.id],
    ],
    'those of a project are in its list, the others in none',
  );
});
