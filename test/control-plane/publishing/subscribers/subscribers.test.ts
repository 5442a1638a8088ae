import { randomUUID } from 'node:crypto';
import test from 'ava';
import { singlesPerDay } from '#control-plane/publishing/subscribers/import-store.ts';
import { newToken } from '#control-plane/publishing/subscribers/subscriber.ts';
import { allowImports, apiOf, type Reply, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type Mailbox, startMailbox } from '#test/support/mailbox.ts';
import { faultsOf, problemFault } from '#test/support/problem.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';
import { openStatusWorld, openStatusWorldOn, type StatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
let mailbox: Mailbox;
test.before(async () => {
  mailbox = await startMailbox();
});
test.after.always(() => mailbox[Symbol.asyncDispose]());
/** On the replica of all tests, whose emails go to the mailbox of all tests: each has addresses of its own. */
const openWorld = async () =>
  openStatusWorldOn(await sharedReplica(databaseOf(), { smtpUrl: mailbox.url }), databaseOf());
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const path = (world: StatusWorld) => `/v0/status-pages/${world.page.id}/subscribers`;
const stateOf = async (world: StatusWorld, email: string) => {
  const { data } = (await world.api('GET', path(world))).body;
  return data.find((subscriber: { email: string }) => subscriber.email === email)?.state;
};
/** Waits for emails to one address: what an earlier test left queued arrives here too. */
const emailed = (mailbox: Mailbox, address: string, count: number) =>
  until(
    async () => mailbox.to(address).length,
    received => received >= count,
  );
const linkIn = (mailbox: Mailbox, address: string, index: number) =>
  /http:\/\/localhost:8080(\/\S+\/confirm\?token=\S+)/.exec(mailbox.to(address)[index]?.text ?? '')?.[1] ?? '';

/** Lets time pass since the last confirmations, of all addresses. */
const hoursLater = (world: StatusWorld, hours: number) =>
  withSql(
    world.databaseUrl,
    sql => sql.run`
      update confirmation_counts
      set last_sent_at = last_sent_at - ${hours} * interval '1 hour'`,
  );

test.serial('an address added without consent must confirm, one with consent is active at once', async t => {
  const world = await openWorld();
  const pending = await world.api('POST', path(world), { email: 'Asked@example.com' });
  const active = await world.api('POST', path(world), { email: 'agreed@example.com', consent: 'by phone on 1 May' });
  t.deepEqual([pending.status, pending.body.state, pending.body.confirmed_at], [201, 'pending', null]);
  t.deepEqual([active.status, active.body.state, active.body.consent], [201, 'active', 'by phone on 1 May']);
  await emailed(mailbox, 'Asked@example.com', 1);
  t.is((await world.visit('GET', linkIn(mailbox, 'Asked@example.com', 0))).status, 200);
  t.is((await world.visit('GET', linkIn(mailbox, 'Asked@example.com', 0), undefined, browser)).status, 200);
  t.is(await stateOf(world, 'Asked@example.com'), 'pending', 'a GET changes nothing');
  t.is((await world.visit('POST', linkIn(mailbox, 'Asked@example.com', 0), '', form)).status, 200);
  t.is(await stateOf(world, 'Asked@example.com'), 'active');
  t.is(
    (await world.visit('POST', linkIn(mailbox, 'Asked@example.com', 0), '', form)).status,
    200,
    'confirming twice is harmless',
  );
  t.is((await world.visit('POST', `${linkIn(mailbox, 'Asked@example.com', 0)}x`, '', form)).status, 404);
  const again = await world.api('POST', path(world), {
    email: 'asked@EXAMPLE.com',
    component_ids: [world.component.id],
  });
  t.deepEqual([again.status, again.body.id, again.body.component_ids], [200, pending.body.id, [world.component.id]]);
});

test.serial('existing and new addresses get the same answer, at most five per minute', async t => {
  const world = await openWorld();
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
  await emailed(mailbox, 'new@example.com', 1);
  t.is(mailbox.emails.filter(email => /^(new|known)@/i.test(email.to)).length, 1, 'one email per hour');
  await withSql(databaseOf(), sql => sql.run`delete from rate_buckets where key like 'subscribe %'`);
});

test.serial(
  'links in emails work after the page got another slug, in its language; without an SMTP server nobody can subscribe',
  async t => {
    const world = await openWorld();
    await world.visit('POST', `/status/${world.page.slug}/subscribe`, 'email=moved%40example.com', form);
    const [email] = await until(
      async () => mailbox.to('moved@example.com'),
      received => received.length === 1,
    );
    const path = /\/status\/\S+\/confirm\?token=\S+/.exec(email?.text ?? '')?.[0] ?? '';
    await world.api('PATCH', `/v0/status-pages/${world.page.id}`, {
      slug: `${world.page.slug}-moved`,
      locale: 'de',
    });
    const asked = await world.visit('GET', path, undefined, browser);
    t.regex(String(asked.body), /<html lang="de"/);
    t.false(String(asked.body).includes('Confirm'));
    t.is((await world.visit('POST', path, '', form)).status, 200);
    const [subscriber] = (await world.api('GET', `/v0/status-pages/${world.page.id}/subscribers`)).body.data;
    t.is(subscriber.state, 'active');

    const withoutEmail = await openStatusWorld(t, databaseOf(), {});
    const refused = await withoutEmail.visit(
      'POST',
      `/status/${withoutEmail.page.slug}/subscribe`,
      'email=a%40example.com',
      form,
    );
    t.is(refused.status, 404);
    t.is(refused.body.detail, 'Email is not available right now');
    t.deepEqual((await withoutEmail.api('GET', '/v0/deliveries')).body.data, []);
  },
);

test.serial(
  'visits without a valid token count against the limit of their address, and open no transaction',
  async t => {
    const world = await openWorld();
    const paths = ['', '?token=', '?token=short'].flatMap(token => [`confirm${token}`, `unsubscribe${token}`]);
    for (const path of paths) {
      t.is((await world.visit('GET', `/status/${world.page.slug}/${path}`, undefined, browser)).status, 404, path);
      await withSql(
        databaseOf(),
        sql => sql.run`update rate_buckets set tokens = -1000 where key like 'subscription %'`,
      );
      t.is((await world.visit('GET', `/status/${world.page.slug}/${path}`, undefined, browser)).status, 429, path);
      await withSql(databaseOf(), sql => sql.run`delete from rate_buckets where key like 'subscription %'`);
    }
  },
);

test.serial('a browser gets pages whose policy allows no scripts', async t => {
  const world = await openWorld();
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
  const [added] = (await world.api('GET', path(world))).body.data;
  t.deepEqual([added.email, added.component_ids, added.state], ['web@example.com', [world.component.id], 'pending']);
  const unknownLink = await world.visit(
    'GET',
    `/status/${world.page.slug}/unsubscribe?token=nothing`,
    undefined,
    browser,
  );
  t.is(unknownLink.status, 404);
  await withSql(databaseOf(), sql => sql.run`delete from rate_buckets where key like 'subscribe %'`);
});

test.serial('an unsubscribed or quarantined address must confirm again, whoever adds it', async t => {
  const world = await openWorld();
  const add = (consent: string | null) => world.api('POST', path(world), { email: 'back@example.com', consent });
  await add(null);
  await emailed(mailbox, 'back@example.com', 1);
  const confirm = linkIn(mailbox, 'back@example.com', 0);
  await world.visit('POST', confirm, '', form);
  await world.visit('POST', confirm.replace('/confirm', '/unsubscribe'), 'List-Unsubscribe=One-Click', form);
  t.is(await stateOf(world, 'back@example.com'), 'unsubscribed');
  t.is((await world.visit('POST', confirm, '', form)).status, 404, 'an old link does not subscribe again');
  t.is(await stateOf(world, 'back@example.com'), 'unsubscribed');
  const byForm = await world.visit('POST', `/status/${world.page.slug}/subscribe`, { email: 'back@example.com' });
  t.deepEqual([byForm.status, await stateOf(world, 'back@example.com')], [202, 'unsubscribed'], 'not by a visitor');
  await hoursLater(world, 1);
  t.is((await add('they said so')).body.state, 'pending');
  await emailed(mailbox, 'back@example.com', 2);
  await world.visit('POST', linkIn(mailbox, 'back@example.com', 1), '', form);
  t.is(await stateOf(world, 'back@example.com'), 'active');
  await withSql(
    databaseOf(),
    sql => sql.run`update subscribers set state = 'quarantined', failures = 5 where status_page_id = ${world.page.id}`,
  );
  await hoursLater(world, 24);
  const readded = await add(null);
  t.deepEqual([readded.body.state, readded.body.failures], ['pending', 0]);
  await emailed(mailbox, 'back@example.com', 3);
});

test.serial('confirmation emails to one address are few, for a page and over all pages', async t => {
  const world = await openWorld();
  const asked = async (statusPageId: string, email: string) => {
    await world.api('POST', `/v0/status-pages/${statusPageId}/subscribers`, { email });
    const { data } = (await world.api('GET', '/v0/deliveries?limit=200')).body;
    return data.filter((row: { kind: string; recipient: string }) => row.recipient === email).length;
  };
  const counts: number[] = [];
  for (const hours of [0, 0, 1, 1, 24, 24, 7 * 24, 7 * 24, 9999]) {
    await hoursLater(world, hours);
    // The day's bound over all pages is another rule.
    await withSql(databaseOf(), sql => sql.run`update confirmation_counts set since = since - interval '1 day'`);
    counts.push(await asked(world.page.id, 'few@example.com'));
  }
  t.deepEqual(counts, [1, 1, 2, 2, 3, 3, 4, 4, 4]);
  const pages: string[] = [];
  for (let index = 0; index < 7; index++) {
    const slug = `many-${index}-${world.page.slug}`;
    pages.push((await world.api('POST', '/v0/status-pages', { name: 'Many', slug })).body.id);
  }
  const over: number[] = [];
  for (const id of pages) over.push(await asked(id, 'victim@example.com'));
  t.deepEqual(over, [1, 2, 3, 4, 5, 5, 5]);
});

test.serial('a form on another site cannot subscribe its visitors', async t => {
  const world = await openWorld();
  const subscribe = (headers: Record<string, string>) =>
    world.visit('POST', `/status/${world.page.slug}/subscribe`, 'email=csrf%40example.com', { ...form, ...headers });
  t.is((await subscribe({ 'sec-fetch-site': 'cross-site' })).status, 403);
  const foreign = await subscribe({ origin: 'https://evil.example' });
  t.deepEqual([foreign.status, foreign.body.code], [403, 'origin_not_allowed']);
  t.is(await stateOf(world, 'csrf@example.com'), undefined);
  t.is((await subscribe({ 'sec-fetch-site': 'same-origin', origin: 'null' })).status, 202);
  t.is((await subscribe({ origin: new URL(world.replica.url).origin })).status, 202);
  await withSql(databaseOf(), sql => sql.run`delete from rate_buckets where key like 'subscribe %'`);
});

test.serial('links in emails answer people with a page, and unsubscribe from a deleted page too', async t => {
  const world = await openWorld();
  const created = await world.api('POST', path(world), { email: 'leaver@example.com', consent: 'yes' });
  const token = newToken();
  await withSql(
    databaseOf(),
    sql => sql.run`update subscribers set token_hash = ${token.hash} where id = ${created.body.id}`,
  );
  const link = `/status/${world.page.slug}/unsubscribe?token=${token.token}`;
  const shown = await world.visit('GET', link, undefined, { accept: '*/*' });
  t.regex(String(shown.headers['content-type']), /^text\/html/);
  const program = await world.visit('GET', link, undefined, { accept: 'application/json' });
  t.regex(String(program.headers['content-type']), /^application\/json/);
  await world.api('DELETE', `/v0/components/${world.component.id}`);
  t.is((await world.api('DELETE', `/v0/status-pages/${world.page.id}`)).status, 204);
  t.is((await world.visit('GET', link)).status, 200);
  t.is((await world.visit('POST', link, 'List-Unsubscribe=One-Click', form)).status, 200);
  const inGerman = { accept: 'text/html', 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };
  const german = await world.visit('GET', link, undefined, inGerman);
  t.regex(String(german.body), /<html lang="de"[\s\S]*Abonnement beendet/, 'no page has a language any more');
  t.regex(String(german.headers.vary), /Accept-Language/i);
  const left = await world.visit('POST', link, 'List-Unsubscribe=One-Click', { ...form, ...inGerman });
  t.regex(String(left.body), /<html lang="de"[\s\S]*Abonnement beendet/);
  t.is((await world.visit('POST', `${link}x`, '', form)).status, 404);
  t.is((await world.visit('POST', link.replace('/unsubscribe', '/confirm'), '', form)).status, 404);
});

test.serial('an import is off until the operator allows it, and bounded by the day', async t => {
  const world = await openWorld();
  const post = (...emails: string[]) =>
    world.api('POST', `${path(world)}/import`, { consent: 'x', subscribers: emails.map(email => ({ email })) });
  const off = await post('a@example.com');
  t.deepEqual([off.status, off.body.code, off.body.maximum], [409, 'limit_reached', 0]);
  t.regex(off.body.detail, /switched off/);
  await allowImports(databaseOf(), world.projectId, 2);
  t.deepEqual((await post('a@example.com')).body, { added: 1, existing: 0 });
  const over = await post('b@example.com', 'c@example.com');
  t.deepEqual([over.status, over.body.used], [409, 1]);
  t.is(await stateOf(world, 'b@example.com'), undefined);
  t.deepEqual((await post('a@example.com', 'b@example.com')).body, { added: 1, existing: 1 });
});

test.serial('an import keeps states: who unsubscribed elsewhere gets nothing here', async t => {
  const world = await openWorld();
  await allowImports(databaseOf(), world.projectId);
  const states = ['active', 'unsubscribed', 'pending', 'quarantined'];
  const subscribers = states.map(state => ({ email: `${state}@kept.example`, state }));
  const body = { consent: 'the other page', subscribers };
  t.deepEqual((await world.api('POST', `${path(world)}/import`, body)).body, { added: 4, existing: 0 });
  for (const state of states) t.is(await stateOf(world, `${state}@kept.example`), state);
  const active = subscribers.map(({ email }) => ({ email }));
  const again = await world.api('POST', `${path(world)}/import`, { consent: 'x', subscribers: active });
  t.deepEqual(again.body, { added: 0, existing: 4 });
  t.is(await stateOf(world, 'unsubscribed@kept.example'), 'unsubscribed');
  const watched = await withSql(
    databaseOf(),
    sql => sql.rows`
      select 1
      from subscribers
      where status_page_id = ${world.page.id} and imported_at is not null`,
  );
  t.is(watched.length, 1, 'only the active one is watched');
  const wrong = await world.api('POST', `${path(world)}/import`, {
    consent: 'x',
    subscribers: [{ email: 'a@kept.example', state: 'cleaned' }],
  });
  t.deepEqual(faultsOf(wrong), ['/subscribers/0/state enum']);
});

test.serial(
  'addresses with consent are imports of one: watched, and beyond the day’s number asked to confirm',
  async t => {
    const world = await openWorld();
    const add = (name: string) =>
      world.api('POST', path(world), { email: `${name}@single.example`, consent: 'they said so' });
    const watched = () =>
      withSql(
        databaseOf(),
        async sql =>
          (
            await sql.rows`
          select 1
          from subscribers
          where status_page_id = ${world.page.id} and imported_at is not null`
          ).length,
      );
    // Two at once cannot both take the last place.
    const added = await Promise.all(Array.from({ length: singlesPerDay + 5 }, (_, index) => add(`p${index}`)));
    t.is(added.filter(({ body }) => body.state === 'active').length, singlesPerDay);
    t.is(added.filter(({ body }) => body.state === 'pending').length, 5);
    t.is(await watched(), singlesPerDay);
    const pending = added.find(({ body }) => body.state === 'pending')?.body.email as string;
    await emailed(mailbox, pending, 1);
    t.is((await world.api('POST', path(world), { email: pending, consent: 'again' })).body.state, 'pending');
    t.is((await add('p0')).body.state, added[0]?.body.state);
    t.is(await watched(), singlesPerDay, 'adding it again does not end the watch');
    await allowImports(databaseOf(), world.projectId, singlesPerDay + 1);
    t.deepEqual([(await add('q0')).body.state, (await add('q1')).body.state], ['active', 'pending']);
    await withSql(
      databaseOf(),
      sql => sql.run`
      update subscriber_imports
      set ended_reason = 'refused', per_day = 0, day = day - 1
      where project_id = ${world.projectId}`,
    );
    t.is((await add('q2')).body.state, 'pending', 'imports were ended');
  },
);

test.serial(
  'a token causes at most a hundred confirmations at once, and pending ones take places of the quota',
  async t => {
    const world = await openWorld();
    const add = (name: string) => world.api('POST', path(world), { email: `${name}@victims.example` });
    const statuses: number[] = [];
    for (let index = 0; index < 105; index++) statuses.push((await add(`p${index}`)).status);
    t.deepEqual(new Set(statuses.slice(0, 100)), new Set([201]));
    t.true(statuses.slice(100).includes(429), 'a slow machine gets some back');
    const listed = (await world.api('GET', `${path(world)}?limit=200`)).body.data.length;
    t.is(listed, statuses.filter(status => status === 201).length, 'a refused one is not stored');
    await withSql(databaseOf(), async sql => {
      await sql.run`delete from rate_buckets where key like 'channel-confirmation %'`;
      await sql.run`
      insert into project_quotas (project_id, resource, maximum)
      values (${world.projectId}, 'subscribers', ${listed + 1})`;
    });
    t.is((await add('q0')).status, 201);
    const full = await add('q1');
    t.deepEqual([full.status, full.body.code], [409, 'limit_reached']);
  },
);

test.serial('an import adds up to a thousand addresses and leaves existing ones unchanged', async t => {
  const world = await openWorld();
  await allowImports(databaseOf(), world.projectId);
  await world.api('POST', path(world), { email: 'known@example.com' });
  const subscribers = Array.from({ length: 999 }, (_, index) => ({ email: `person${index}@example.com` }));
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

test.serial('all errors of a body are reported at once', async t => {
  const world = await openWorld();
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

test.serial('a webhook is active at once, shows its secret once, and can be deleted', async t => {
  const world = await openWorld();
  const body = { channel: 'webhook', url: 'https://hooks.example.com/in?key=1' };
  const created = await world.api('POST', path(world), body, { 'idempotency-key': randomUUID() });
  t.deepEqual([created.status, created.body.state, created.body.url], [201, 'active', body.url]);
  t.regex(created.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.false(JSON.stringify((await world.api('GET', path(world))).body).includes('whsec_'));
  t.is((await world.api('POST', path(world), body)).body.secret, undefined);
  t.is((await world.api('DELETE', `${path(world)}/${created.body.id}`)).status, 204);
  t.is((await world.api('DELETE', `${path(world)}/${created.body.id}`)).status, 404);
  t.deepEqual((await world.api('GET', path(world))).body.data, []);
});

test.serial('a project’s subscribers are visible to it alone, with the right scope', async t => {
  const world = await openWorld();
  const other = await openWorld();
  const created = await world.api('POST', path(world), { email: 'mine@example.com', consent: 'x' });
  t.is((await other.api('GET', path(world))).status, 404);
  t.is((await other.api('DELETE', `${path(world)}/${created.body.id}`)).status, 404);
  t.is((await other.api('DELETE', `${path(other)}/${created.body.id}`)).status, 404);
  const token = (
    await world.api('POST', '/v0/tokens', { name: 'pages', scopes: ['status-pages:write', 'incidents:write'] })
  ).body.token;
  t.is((await apiOf(world.replica.url, token)('GET', path(world))).status, 403);
});
