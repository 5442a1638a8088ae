import test from 'ava';
import { pauseSending, resumeSending } from '#control-plane/delivery/notifications/sending-store.ts';
import { parseRange } from '#shared/network/guard.ts';
import { SoftwareAuthenticator } from '#test/support/authenticator.ts';
import { apiOf, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type ReceivedEmail, startMailbox } from '#test/support/mailbox.ts';
import { personOf, sessionHeaders, someAddress } from '#test/support/people.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);
const origin = 'http://localhost:8080';
const proxies = parseRange('127.0.0.0/8');
const secretIn = (text: string) => /#(upi_\w+)/.exec(text)?.[1] ?? '';

test('an invitation to an address is emailed with a link of its own, which alone verifies the address', async t => {
  await using mailbox = await startMailbox();
  const config = { publicUrl: origin, trustedProxies: proxies === null ? [] : [proxies], smtpUrl: mailbox.url };
  const { url, stop } = await startReplica(databaseOf(), config);
  t.teardown(stop);
  const { projectId } = await createTenant(databaseOf());
  const run = (work: Parameters<typeof withSql<unknown>>[1]) => withSql(databaseOf(), work);
  await run(sql => sql.run`update projects set name = 'Rockets' where id = ${projectId}`);
  const ada = await personOf(t, databaseOf(), url, { name: 'Ada', project: projectId });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    apiOf(url, '')('POST', path, body, { 'x-forwarded-for': someAddress(), ...headers });
  const invite = async (email: string | null) => {
    const reply = await ada.call(projectId, 'POST', '/v0/invitations', { role: 'viewer', email });
    t.is(reply.status, 201, JSON.stringify(reply.body));
    return { ...reply.body, secret: secretIn(reply.body.url) };
  };
  const mailTo = async (email: string, count = 1): Promise<ReceivedEmail & { secret: string }> => {
    const emails = await until(
      () => mailbox.to(email),
      found => found.length === count,
    );
    const last = emails.at(-1);
    if (last === undefined) throw new Error('no email');
    return { ...last, secret: secretIn(last.text) };
  };
  const join = async (secret: string, name: string) => {
    const { body } = await post('/auth/passkeys/options', { purpose: 'register', invitation: secret, name });
    const credential = new SoftwareAuthenticator(origin).create(body.public_key);
    const reply = await post('/auth/passkeys/verify', { ticket: body.ticket, credential });
    t.is(reply.status, 201, JSON.stringify(reply.body));
    const me = await apiOf(url, '')('GET', '/v0/me', undefined, sessionHeaders(reply));
    return [me.body.person.email, me.body.person.email_verified];
  };
  const look = async (secret: string) => (await post('/auth/invitations/look', { token: secret })).status;

  const bob = await invite('Bob@Example.com');
  t.true(bob.mailed);
  const mail = await mailTo('Bob@example.com');
  t.is(mail.headers.get('subject')?.[0], 'You are invited to Upquorum');
  t.regex(mail.text, /“Ada” invites you to the project “Rockets” with the role viewer/);
  t.not(mail.secret, bob.secret);
  t.deepEqual([await look(mail.secret), await look(bob.secret)], [200, 200]);
  t.deepEqual(await join(mail.secret, 'Bob'), ['Bob@example.com', true]);
  t.deepEqual([await look(mail.secret), await look(bob.secret)], [410, 410], 'one use ends both');
  const tables = Object.values(await readTables(databaseOf()))
    .flat()
    .join();
  for (const secret of [mail.secret, bob.secret]) t.false(tables.includes(secret));

  t.deepEqual(await join((await invite('carl@example.com')).secret, 'Carl'), [null, false], 'handed over');
  t.false((await invite(null)).mailed);

  // Names that mail programs would make links of; another link ends those of before.
  await run(sql => sql.run`update projects set name = 'win at evil.example' where id = ${projectId}`);
  const dora = await invite('dora@example.com');
  const first = await mailTo('dora@example.com');
  t.regex(first.text, /“Ada” invites you to a project with the role viewer/);
  t.notRegex(JSON.stringify(first), /evil/);
  const resend = async (id: string) => {
    await run(sql => sql.run`update invitations set sent_at = sent_at - interval '1 hour' where id = ${id}`);
    return ada.call(projectId, 'POST', `/v0/invitations/${id}/resend`);
  };
  t.like(await resend(dora.id), { status: 200, body: { mailed: true } });
  const second = await mailTo('dora@example.com', 2);
  t.deepEqual([await look(first.secret), await look(dora.secret), await look(second.secret)], [410, 410, 200]);
  t.is((await resend(dora.id)).status, 200);
  const fourth = await resend(dora.id);
  t.is(fourth.status, 429, JSON.stringify(fourth.body));
  await mailTo('dora@example.com', 3);

  // What ends before it is sent is not sent.
  await run(sql => pauseSending(sql, 'test', Date.now()));
  const eve = await invite('eve@example.com');
  t.is((await ada.call(projectId, 'DELETE', `/v0/invitations/${eve.id}`)).status, 204);
  await run(resumeSending);
  const ofEve = async () => {
    const { data } = (await ada.call(projectId, 'GET', '/v0/deliveries?limit=200')).body;
    return data.find(({ recipient_id }: { recipient_id: string }) => recipient_id === eve.id);
  };
  const ended = await until(ofEve, delivery => delivery?.state !== 'queued');
  t.like(ended, {
    kind: 'invitation',
    state: 'cancelled',
    error: 'the invitation is not open any more, or was sent again',
  });
  t.deepEqual(mailbox.to('eve@example.com'), []);
});
