import { randomUUID } from 'node:crypto';
import test from 'ava';
import { apiOf, type Reply, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type Mailbox, startMailbox } from '#test/support/mailbox.ts';
import { faultsOf, problemFault } from '#test/support/problem.ts';
import { openStatusWorld, type StatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const path = (world: StatusWorld) => `/v0/status-pages/${world.page.id}/subscribers`;
const stateOf = async (world: StatusWorld, email: string) =>
  (await world.api('GET', path(world))).body.data.find((one: { email: string }) => one.email === email)?.state;
/** Mails to one address: what an earlier test left queued comes here too. */
const mailed = (mailbox: Mailbox, address: string, count: number) =>
  until(
    async () => mailbox.to(address).length,
    mails => mails >= count,
  );
const linkIn = (mailbox: Mailbox, address: string, place: number) =>
  /http:\/\/localhost:8080(\/\S+\/confirm\?token=\S+)/.exec(mailbox.to(address)[place]?.text ?? '')?.[1] ?? '';

/** Lets the hour between two confirmations pass. */
const anHourLater = (world: StatusWorld) =>
  withSql(world.databaseUrl, sql =>
    sql.run(
      "update subscribers set confirmation_sent_at = confirmation_sent_at - interval '61 minutes' where status_page_id = $1",
      [world.page.id],
    ),
  );

test.serial('an address that is entered without consent is asked, one with consent is not', async t => {
  await using mailbox = await startMailbox();
  const world = await openStatusWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  const asked = await world.api('POST', path(world), { email: 'Asked@example.com' });
  const agreed = await world.api('POST', path(world), { email: 'agreed@example.com', consent: 'by phone on 1 May' });
  t.deepEqual([asked.status, asked.body.state, asked.body.confirmed_at], [201, 'pending', null]);
  t.deepEqual([agreed.status, agreed.body.state, agreed.body.consent], [201, 'active', 'by phone on 1 May']);
  await mailed(mailbox, 'Asked@example.com', 1);
  t.is((await world.visit('GET', linkIn(mailbox, 'Asked@example.com', 0))).status, 200);
  t.is((await world.visit('GET', linkIn(mailbox, 'Asked@example.com', 0), undefined, browser)).status, 200);
  t.is(await stateOf(world, 'Asked@example.com'), 'pending', 'a GET changes nothing');
  t.is((await world.visit('POST', linkIn(mailbox, 'Asked@example.com', 0), '', form)).status, 200);
  t.is(await stateOf(world, 'Asked@example.com'), 'active');
  t.is((await world.visit('POST', linkIn(mailbox, 'Asked@example.com', 0), '', form)).status, 200, 'twice is once');
  t.is((await world.visit('POST', `${linkIn(mailbox, 'Asked@example.com', 0)}x`, '', form)).status, 404);
  const again = await world.api('POST', path(world), {
    email: 'asked@EXAMPLE.com',
    component_ids: [world.component.id],
  });
  t.deepEqual([again.status, again.body.id, again.body.component_ids], [200, asked.body.id, [world.component.id]]);
});

test.serial('known, unknown and odd addresses get the same answer, and five a minute', async t => {
  await using mailbox = await startMailbox();
  const world = await openStatusWorld(t, databaseOf(), { smtpUrl: mailbox.url, trustedProxies: [] });
  await world.api('POST', path(world), { email: 'known@example.com', consent: 'yes' });
  const subscribe = (email: string, headers = {}) =>
    world.visit('POST', `/status/${world.page.slug}/subscribe`, { email }, headers);
  const replies: Reply[] = [];
  for (const email of ['known@example.com', 'new@example.com', 'new@example.com', 'NEW@example.com'])
    replies.push(await subscribe(email));
  t.deepEqual([...new Set(replies.map(reply => reply.status))], [202]);
  t.is(new Set(replies.map(reply => JSON.stringify(reply.body))).size, 1);
  const fifth = await subscribe('no address');
  t.deepEqual([fifth.status, faultsOf(fifth)], [422, ['/email format']]);
  const sixth = await subscribe('other@example.com', { 'x-forwarded-for': '198.51.100.9' });
  t.is(sixth.status, 429);
  t.true(Number(sixth.headers['retry-after']) >= 1);
  t.is(problemFault(429, String(sixth.headers['content-type']), JSON.stringify(sixth.body)), null);
  await mailed(mailbox, 'new@example.com', 1);
  t.is(mailbox.mails.filter(mail => /^(new|known)@/i.test(mail.to)).length, 1, 'one mail an hour');
  await withSql(databaseOf(), sql => sql.run("delete from rate_buckets where key like 'subscribe %'"));
});

test.serial(
  'links in mails work after the page got another slug, and without a mail server nobody is told to wait',
  async t => {
    await using mailbox = await startMailbox();
    const world = await openStatusWorld(t, databaseOf(), { smtpUrl: mailbox.url });
    await world.visit('POST', `/status/${world.page.slug}/subscribe`, 'email=moved%40example.com', form);
    const [mail] = await until(
      async () => mailbox.to('moved@example.com'),
      mails => mails.length === 1,
    );
    const path = /\/status\/\S+\/confirm\?token=\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    await world.api('PATCH', `/v0/status-pages/${world.page.id}`, { slug: `${world.page.slug}-moved` });
    t.is((await world.visit('POST', path, '', form)).status, 200);
    const [subscriber] = (await world.api('GET', `/v0/status-pages/${world.page.id}/subscribers`)).body.data;
    t.is(subscriber.state, 'active');

    const mute = await openStatusWorld(t, databaseOf());
    const refused = await mute.visit('POST', `/status/${mute.page.slug}/subscribe`, 'email=a%40example.com', form);
    t.is(refused.status, 404);
    t.is(refused.body.detail, 'No mail can be sent at the moment');
    t.deepEqual((await mute.api('GET', '/v0/deliveries')).body.data, []);
  },
);

test.serial('a browser gets pages, with a policy that lets nothing in', async t => {
  const world = await openStatusWorld(t, databaseOf(), { smtpUrl: 'smtp://127.0.0.1:9' });
  const subscribe = (body: string, slug = world.page.slug) =>
    world.visit('POST', `/status/${slug}/subscribe`, body, { ...form, ...browser });
  const good = await subscribe(`email=web%40example.com&component_ids=${world.component.id}`);
  const bad = await subscribe('email=%3Cscript%3E');
  const unknown = await subscribe('email=web%40example.com', 'no-such-page');
  const link = await world.visit('POST', `/status/${world.page.slug}/confirm?token=nothing`, '', {
    ...form,
    ...browser,
  });
  for (const [reply, status] of [
    [good, 202],
    [bad, 422],
    [unknown, 404],
    [link, 404],
  ] as const) {
    t.is(reply.status, status);
    t.regex(String(reply.headers['content-type']), /^text\/html/);
    t.regex(String(reply.headers['content-security-policy']), /default-src 'none'/);
    t.is(reply.headers['cache-control'], 'no-store');
    t.false(String(reply.body).includes('<script'));
  }
  const [entered] = (await world.api('GET', path(world))).body.data;
  t.deepEqual(
    [entered.email, entered.component_ids, entered.state],
    ['web@example.com', [world.component.id], 'pending'],
  );
  const form2 = await world.visit('GET', `/status/${world.page.slug}/unsubscribe?token=nothing`, undefined, browser);
  t.is(form2.status, 404);
  await withSql(databaseOf(), sql => sql.run("delete from rate_buckets where key like 'subscribe %'"));
});

test.serial('who left or was quarantined comes back by a new confirmation, whoever enters them', async t => {
  await using mailbox = await startMailbox();
  const world = await openStatusWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  const enter = (consent: string | null) => world.api('POST', path(world), { email: 'back@example.com', consent });
  await enter(null);
  await mailed(mailbox, 'back@example.com', 1);
  const confirm = linkIn(mailbox, 'back@example.com', 0);
  await world.visit('POST', confirm, '', form);
  await world.visit('POST', confirm.replace('/confirm', '/unsubscribe'), 'List-Unsubscribe=One-Click', form);
  t.is(await stateOf(world, 'back@example.com'), 'unsubscribed');
  t.is((await world.visit('POST', confirm, '', form)).status, 404, 'an old link brings nobody back');
  t.is(await stateOf(world, 'back@example.com'), 'unsubscribed');
  await anHourLater(world);
  t.is((await enter('they said so')).body.state, 'pending');
  await mailed(mailbox, 'back@example.com', 2);
  await world.visit('POST', linkIn(mailbox, 'back@example.com', 1), '', form);
  t.is(await stateOf(world, 'back@example.com'), 'active');
  await withSql(databaseOf(), sql =>
    sql.run("update subscribers set state = 'quarantined', failures = 5 where status_page_id = $1", [world.page.id]),
  );
  await anHourLater(world);
  const entered = await enter(null);
  t.deepEqual([entered.body.state, entered.body.failures], ['pending', 0]);
  await mailed(mailbox, 'back@example.com', 3);
});

test.serial('an import takes a thousand at once and leaves whom it knows', async t => {
  const world = await openStatusWorld(t, databaseOf());
  await world.api('POST', path(world), { email: 'known@example.com' });
  const subscribers = Array.from({ length: 999 }, (_, place) => ({ email: `person${place}@example.com` }));
  const body = { consent: 'newsletter of May', subscribers: [...subscribers, { email: 'KNOWN@example.com' }] };
  const imported = await world.api('POST', `${path(world)}/import`, body);
  t.deepEqual([imported.status, imported.body], [200, { added: 999, existing: 1 }]);
  t.deepEqual((await world.api('POST', `${path(world)}/import`, body)).body, { added: 0, existing: 1000 });
  t.is(await stateOf(world, 'known@example.com'), undefined, 'it is on a later page of the list');
  const [newest] = (await world.api('GET', `${path(world)}?limit=1`)).body.data;
  t.deepEqual([newest.state, newest.consent], ['active', 'newsletter of May']);
  const faults = await world.api('POST', `${path(world)}/import`, {
    consent: 'x',
    subscribers: [{ email: 'a@example.com' }, { email: 'b' }, { email: 'c@example.com', component_ids: ['comp_none'] }],
  });
  t.deepEqual([faults.status, faultsOf(faults)], [422, ['/subscribers/1/email format']]);
  const references = await world.api('POST', `${path(world)}/import`, {
    consent: 'x',
    subscribers: [{ email: 'c@example.com', component_ids: ['comp_none'] }],
  });
  t.deepEqual(faultsOf(references), ['/subscribers/0/component_ids/0 unknown_reference']);
  const many = { consent: 'x', subscribers: [...subscribers, ...subscribers] };
  t.deepEqual(faultsOf(await world.api('POST', `${path(world)}/import`, many)), ['/subscribers too_long']);
});

test.serial('bodies that break rules tell every field', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const post = (body: unknown) => world.api('POST', path(world), body);
  t.deepEqual(faultsOf(await post({})), ['/email required']);
  t.deepEqual(faultsOf(await post({ channel: 'webhook', email: 'a@example.com' })), [
    '/email not_allowed',
    '/url required',
  ]);
  t.deepEqual(faultsOf(await post({ channel: 'sms', email: 'x' })), ['/channel enum', '/email format']);
  t.deepEqual(faultsOf(await post({ email: 'a@example.com', component_ids: ['comp_x'] })), [
    '/component_ids/0 unknown_reference',
  ]);
  t.deepEqual(faultsOf(await post({ channel: 'webhook', url: 'ftp://x' })), ['/url format']);
});

test.serial('a webhook is active at once, its secret is shown once, and a deleted one is gone', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const body = { channel: 'webhook', url: 'https://hooks.example.com/in?key=1' };
  const made = await world.api('POST', path(world), body, { 'idempotency-key': randomUUID() });
  t.deepEqual([made.status, made.body.state, made.body.url], [201, 'active', body.url]);
  t.regex(made.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.false(JSON.stringify((await world.api('GET', path(world))).body).includes('whsec_'));
  t.is((await world.api('POST', path(world), body)).body.secret, undefined);
  t.is((await world.api('DELETE', `${path(world)}/${made.body.id}`)).status, 204);
  t.is((await world.api('DELETE', `${path(world)}/${made.body.id}`)).status, 404);
  t.deepEqual((await world.api('GET', path(world))).body.data, []);
});

test.serial('one project’s subscribers are nothing to another, and need their scope', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const other = await openStatusWorld(t, databaseOf());
  const made = await world.api('POST', path(world), { email: 'mine@example.com', consent: 'x' });
  t.is((await other.api('GET', path(world))).status, 404);
  t.is((await other.api('DELETE', `${path(world)}/${made.body.id}`)).status, 404);
  t.is((await other.api('DELETE', `${path(other)}/${made.body.id}`)).status, 404);
  const token = (
    await world.api('POST', '/v0/tokens', { name: 'pages', scopes: ['status-pages:write', 'incidents:write'] })
  ).body.token;
  t.is((await apiOf(world.replica.url, token)('GET', path(world))).status, 403);
});
