import test, { type ExecutionContext } from 'ava';
import { readSignInSettings } from '#control-plane/access/oidc/settings.ts';
import { newBearer } from '#control-plane/platform/secrets/bearer.ts';
import { EnvReader } from '#shared/env.ts';
import { parseRange } from '#shared/network/guard.ts';
import { apiOf, createTenant, type Reply, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { personOf, sessionHeaders, someAddress } from '#test/support/people.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);
const origin = 'http://up.internal:8080';
const proxies = parseRange('127.0.0.0/8');
const minuteMs = 60_000;

test.serial('with email alone somebody new joins by the link in the invitation’s email, once', async t => {
  await using world = await openWorld(t);
  const { invite, mailsTo, look, join, post, projectId } = world;
  const handed = await invite('bob@example.com');
  const [mail = ''] = await mailsTo('bob@example.com', 1);
  const seen = { status: 200, body: { project: 'Test', role: 'viewer', invited_by: 'Ada', methods: ['email'] } };
  t.like(await look(mail), { ...seen, body: { ...seen.body, email: 'bob@example.com' } });
  t.like(await look(handed), { ...seen, body: { ...seen.body, email: null } }, 'handed over, it proves none');
  const refused = await join(handed, 'Mallory');
  t.like(refused, gone);
  t.deepEqual(await world.refusals(refused.body.request_id), [{ subject: 'unknown', method: 'link' }]);
  t.is((await join(mail, 'Bob\nB')).status, 422);
  t.like(await join(mail, 'Bob', world.otherUrl), { status: 403, body: { code: 'method_disabled' } });

  const both = await Promise.all([join(mail, 'Bob'), join(mail, 'Bob')]);
  t.deepEqual(both.map(({ status }) => status).sort(), [201, 410]);
  const [joined] = both.filter(({ status }) => status === 201);
  if (joined === undefined) return t.fail();
  t.like(joined.body, { method: 'link', person: { name: 'Bob', email: 'bob@example.com', operator: false } });
  t.deepEqual([joined.body.projects[0].id, joined.body.projects[0].role], [projectId, 'viewer']);
  t.like((await me(world.url, joined)).body.person, { email_verified: true });
  for (const link of [mail, handed]) t.like(await look(link), gone);
  t.is((await world.people('bob@example.com')).length, 1);
  const { data } = (await world.ada.call(projectId, 'GET', '/v0/audit')).body;
  const accepted = data.find(({ action }: { action: string }) => action === 'invitation.accepted');
  t.like(accepted, { actor: { name: 'Bob' } });

  t.is((await post('/auth/links', { email: 'bob@example.com' })).status, 202);
  const [, again = ''] = await mailsTo('bob@example.com', 2);
  const back = await post('/auth/links/use', { token: again });
  t.like(back, { status: 201, body: { person: { id: joined.body.person.id } } }, 'and comes back by the address');
});

test.serial('whoever has a link that was handed over joins by a link that is emailed to them', async t => {
  await using world = await openWorld(t);
  const { invite, mailsTo, look, join, ask, projectId } = world;
  const [handed, other, last] = [await invite(null), await invite(null), await invite(null)];
  t.like(await ask(handed, 'eve@example.com', world.otherUrl), { status: 403, body: { code: 'method_disabled' } });
  t.is((await ask(handed, 'eve')).status, 422);
  for (const secret of [newBearer('upi'), 'upi_short']) {
    t.like(await ask(secret, 'eve@example.com'), gone);
    t.like(await join(secret, 'Eve'), gone);
  }
  const known = await ask(handed, 'ada@example.com');
  const [ofAda = ''] = await mailsTo('ada@example.com', 1);
  const unknown = await ask(handed, 'eve@EXAMPLE.com');
  for (const { status, body } of [known, unknown]) t.deepEqual([status, body], [202, {}], 'whoever it is');
  const [first = ''] = await mailsTo('eve@example.com', 1);
  const { subject, text } = world.lastTo('eve@example.com');
  t.is(subject, 'Join Upquorum with this address');
  t.regex(text, /to join the project “Test” with the role viewer. The invitation is from “Ada”/);
  t.regex(text, /once, for 15 minutes/);
  t.like(await look(first), { status: 200, body: { project: 'Test', email: 'eve@example.com' } });
  t.like(await look(ofAda), gone, 'the newest alone works');

  world.advance(15 * minuteMs);
  t.like(await look(first), gone);
  t.like(await join(first, 'Eve'), gone);
  t.is((await look(handed)).status, 200);
  await ask(handed, 'eve@example.com');
  const [, second = ''] = await mailsTo('eve@example.com', 2);
  const tables = Object.values(await readTables(databaseOf()))
    .flat()
    .join();
  t.false(tables.includes(second));
  const joined = await join(second, 'Eve');
  t.like(joined, { status: 201, body: { person: { name: 'Eve', email: 'eve@example.com' } } });
  t.like((await me(world.url, joined)).body.person, { email_verified: true });
  for (const link of [handed, second]) t.like(await look(link), gone);
  const { data } = (await world.ada.call(projectId, 'GET', '/v0/invitations')).body;
  t.like(data.at(-1), { state: 'accepted', email: null, accepted_by: joined.body.person.id });
  t.is((await world.people('eve@example.com')).length, 1);
  t.deepEqual(await world.asked(), [], 'what was typed is forgotten with it');

  await ask(other, 'eve@example.com');
  const [, , third = ''] = await mailsTo('eve@example.com', 3);
  const back = await join(third, 'Somebody new');
  t.like(back, { status: 201, body: { person: { id: joined.body.person.id, name: 'Eve' } } }, 'she is known');
  t.is((await world.people('eve@example.com')).length, 1);
  const gil = await personOf(t, databaseOf(), world.url, { name: 'Gil', email: 'gil@example.com', project: projectId });
  await ask(last, 'gil@example.com');
  const [ofGil = ''] = await mailsTo('gil@example.com', 1);
  const apart = await join(ofGil, 'The real Gil');
  t.is(apart.body.person.name, 'The real Gil', 'nobody had shown that the address is theirs');
  t.not(apart.body.person.id, gil.id);
});

test.serial('links that were asked for end with the invitation, and nobody is sent many', async t => {
  await using world = await openWorld(t);
  const { invite, mailsTo, look, ask, ada, projectId, advance } = world;
  const newest = async () => (await ada.call(projectId, 'GET', '/v0/invitations')).body.data[0].id as string;
  const revoked = await invite(null);
  await ask(revoked, 'fay@example.com');
  const [ofRevoked = ''] = await mailsTo('fay@example.com', 1);
  t.is((await ada.call(projectId, 'DELETE', `/v0/invitations/${await newest()}`)).status, 204);
  t.like(await look(ofRevoked), gone);

  const renewed = await invite(null);
  await ask(renewed, 'fay@example.com');
  const [, ofRenewed = ''] = await mailsTo('fay@example.com', 2);
  advance(2 * minuteMs);
  const { status, body } = await ada.call(projectId, 'POST', `/v0/invitations/${await newest()}/resend`);
  t.is(status, 200, JSON.stringify(body));
  for (const link of [renewed, ofRenewed]) t.like(await look(link), gone);

  const open = body.url.split('#')[1];
  for (const _ of [3, 4]) t.is((await ask(open, 'fay@example.com')).status, 202, 'the fourth is not sent');
  // The next link takes the place of one whose email has not been sent.
  await mailsTo('fay@example.com', 3);
  for (let asked = 1; asked < 12; asked++) t.is((await ask(open, `f${asked}@example.com`)).status, 202);
  await until(world.queued, rows => rows.length === 0);
  t.is(world.lastTo('fay@example.com').count, 3);
  t.is(world.lastTo('f7@example.com').count, 1, 'ten an invitation, with one to fay that was too much for her');
  t.is(world.lastTo('f8@example.com').count, 0);
});

// One after another: each has a mailbox and a clock of its own.
const gone = { status: 410, body: { code: 'link_expired' } };

async function openWorld(t: ExecutionContext) {
  const mailbox = await startMailbox();
  let ahead = 0;
  const signIn = readSignInSettings(new EnvReader({ SIGN_IN_METHODS: 'email', SMTP_URL: mailbox.url }), origin);
  const config = {
    publicUrl: origin,
    trustedProxies: proxies === null ? [] : [proxies],
    smtpUrl: mailbox.url,
  };
  const clock = { now: () => Date.now() + ahead };
  const replica = await startReplica(databaseOf(), { ...config, signIn }, clock);
  const other = await startReplica(databaseOf(), config, clock);
  const { projectId } = await createTenant(databaseOf());
  const { url } = replica;
  const ada = await personOf(t, databaseOf(), url, { name: 'Ada', email: 'ada@example.com', project: projectId });
  const run = <Result>(work: Parameters<typeof withSql<Result>>[1]) => withSql(databaseOf(), work);
  await run(sql => sql.run`update people set email_verified = true where id = ${ada.id}`);
  const post = (path: string, body: unknown, at = url) =>
    apiOf(at, '')('POST', path, body, { 'x-forwarded-for': someAddress() });
  return {
    url,
    otherUrl: other.url,
    projectId,
    ada,
    post,
    advance: (ms: number) => {
      ahead += ms;
    },
    look: (token: string) => post('/auth/invitations/look', { token }),
    join: (token: string, name: string, at = url) => post('/auth/invitations/join', { token, name }, at),
    ask: (token: string, email: string, at = url) => post('/auth/invitations/email', { token, email }, at),
    /** Returns the secret of the link to hand over. */
    invite: async (email: string | null): Promise<string> => {
      const reply = await ada.call(projectId, 'POST', '/v0/invitations', { role: 'viewer', email });
      t.is(reply.status, 201, JSON.stringify(reply.body));
      return reply.body.url.split('#')[1];
    },
    /** The secrets in the emails to an address, once there are as many as asked for. */
    mailsTo: async (address: string, count: number): Promise<string[]> => {
      const emails = await until(
        () => mailbox.to(address),
        found => found.length === count,
      );
      return emails.map(({ text }) => /#(upi_\w+)/.exec(text)?.[1] ?? '');
    },
    lastTo: (address: string) => {
      const emails = mailbox.to(address);
      const last = emails.at(-1);
      return { count: emails.length, subject: last?.headers.get('subject')?.[0], text: last?.text ?? '' };
    },
    /** Of this world's project: others have clocks of their own. */
    queued: () =>
      run(
        sql => sql.rows`
          select 1 from deliveries
          where state = 'queued' and project_id = ${projectId} and kind = 'invitation'`,
      ),
    asked: () =>
      run(sql => sql.rows`select 1 from invitations where asked_email is not null or asked_hash is not null`),
    refusals: (requestId: string) =>
      run(
        sql => sql.rows`
          select subject, after->>'method' as method
          from audit_entries
          where action = 'session.refused' and request_id = ${requestId}`,
      ),
    people: (email: string) => run(sql => sql.rows`select 1 from people where email = ${email}`),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([replica.stop(), other.stop()]);
      await mailbox[Symbol.asyncDispose]();
    },
  };
}

const me = (url: string, joined: Reply) => apiOf(url, '')('GET', '/v0/me', undefined, sessionHeaders(joined));
