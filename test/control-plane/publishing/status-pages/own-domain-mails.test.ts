import test from 'ava';
import { apiOf, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { startTarget } from '#test/support/target.ts';
import { startZone } from '#test/support/zone.ts';

const databaseOf = useDatabase(test);
const idsOf = (feed: string) => [...feed.matchAll(/<(?:id|guid)[^>]*>([^<]+)</g)].map(([, id]) => id);

test('emails, webhooks, feeds and URLs lead to the own domain, and entries of feeds stay the same', async t => {
  await using zone = await startZone();
  await using mailbox = await startMailbox();
  await using receiver = await startTarget();
  const replica = await startReplica(databaseOf(), { dnsServers: zone.servers, smtpUrl: mailbox.url });
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const { body: page } = await api('POST', '/v0/status-pages', { name: 'Acme', slug: 'acme' });
  const path = `/v0/status-pages/${page.id}`;
  const to = 'reader@example.org';
  t.is((await api('POST', `${path}/subscribers`, { email: to, consent: 'a test' })).status, 201);
  const hook = await api('POST', `${path}/subscribers`, { channel: 'webhook', url: receiver.url });
  t.is(hook.status, 201, JSON.stringify(hook.body));
  const update = { state: 'identified', body: 'It is slow' };
  const posted = { status_page_id: page.id, title: 'Slow', severity: 'p3', initial_update: update };
  const { body: incident } = await api('POST', '/v0/incidents', posted);
  const feed = async (name: string) => (await fetch(`${replica.url}/status/acme/${name}`)).text();
  const feeds = () => Promise.all(['feed.atom', 'feed.rss'].map(feed));
  const before = await until(feeds, found => found.every(text => text.includes('It is slow')));
  const [first] = await until(
    () => mailbox.to(to),
    found => found.length === 1,
  );
  t.regex(first?.text ?? '', /http:\/\/localhost:8080\/status\/acme/);

  const { body: added } = await api('POST', `${path}/domains`, { domain: 'status.acme.example' });
  zone.txt.set(added.record.name, [added.record.value]);
  t.is((await api('POST', `${path}/domains/${added.id}/verify`)).body.state, 'verified');
  const home = 'http://status.acme.example:8080';
  const after = await until(feeds, found => found.every(text => text.includes(home)));
  for (const [index, text] of after.entries()) {
    t.true(idsOf(text).length >= 1);
    t.deepEqual(idsOf(text), idsOf(before[index] ?? ''));
    t.false(text.includes('/status/acme'));
  }
  t.is((await api('GET', path)).body.url, home);
  t.is((await api('GET', `/v0/incidents/${incident.id}`)).body.url, `${home}/incidents/${incident.id}`);
  t.is((await api('POST', `/v0/incidents/${incident.id}/updates`, { state: 'resolved', body: 'Over' })).status, 201);
  const [, email] = await until(
    () => mailbox.to(to),
    found => found.length === 2,
  );
  t.true(email?.text.includes(`${home}/incidents/${incident.id}`));
  t.regex(
    email?.headers.get('list-unsubscribe')?.[0] ?? '',
    /^<http:\/\/status\.acme\.example:8080\/unsubscribe\?token=/,
  );
  t.false(email?.text.includes('/status/acme'));
  const sent = await until(
    async () => receiver.requests.map(({ body }) => body),
    found => found.length >= 2,
  );
  t.true(sent.at(-1)?.includes(`${home}/incidents/${incident.id}`));
  t.false(sent.at(-1)?.includes('/status/acme'));
});
