import test from 'ava';
import { readNotices } from '#control-plane/delivery/notifications/incident-notice-store.ts';
import { until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);

test.serial('a subscriber gets the emails between confirming and unsubscribing, in one thread', async t => {
  await using mailbox = await startMailbox();
  const { api, visit, page, component } = await openStatusWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  const subscribed = await visit('POST', `/status/${page.slug}/subscribe`, { email: 'Ada@Example.com' });
  t.is(subscribed.status, 202);
  await until(
    async () => mailbox.emails.length,
    count => count === 1,
  );
  const link =
    /http:\/\/localhost:8080(\/status\/\S+confirm\?token=\S+)/.exec(mailbox.emails[0]?.text ?? '')?.[1] ?? '';
  t.is((await visit('GET', link)).status, 200);
  t.is((await visit('POST', link, '', { 'content-type': 'application/x-www-form-urlencoded' })).status, 200);
  const incident = await api('POST', '/v0/incidents', {
    title: 'Checkout fails',
    severity: 'p1',
    status_page_id: page.id,
    affected_components: [component.id],
    initial_update: { state: 'investigating', body: 'We are **looking** into it.' },
  });
  t.is(incident.status, 201);
  await api('POST', `/v0/incidents/${incident.body.id}/updates`, { state: 'identified', body: 'Found it.' });
  await api('POST', `/v0/incidents/${incident.body.id}/resolve`, { body: 'Fixed.' });
  await until(
    async () => mailbox.emails.length,
    count => count === 4,
  );
  const updates = mailbox.emails.slice(1);
  t.deepEqual(
    updates.map(email => email.headers.get('subject')?.[0]),
    ['[Acme] Checkout fails', '[Acme] Checkout fails', '[Acme] Checkout fails'],
  );
  t.true(updates[0]?.text.includes('We are **looking** into it.'));
  t.true(updates[0]?.html.includes('<strong>looking</strong>'));
  t.is(new Set(updates.map(email => email.headers.get('references')?.[0])).size, 1);
  t.is(new Set(updates.map(email => email.headers.get('message-id')?.[0])).size, 3);
  const unsubscribe =
    /<http:\/\/localhost:8080(.+)>/.exec(updates[0]?.headers.get('list-unsubscribe')?.[0] ?? '')?.[1] ?? '';
  t.is(updates[0]?.headers.get('list-unsubscribe-post')?.[0], 'List-Unsubscribe=One-Click');
  const oneClick = await visit('POST', unsubscribe, 'List-Unsubscribe=One-Click', {
    'content-type': 'application/x-www-form-urlencoded',
  });
  t.is(oneClick.status, 200);
  await api('POST', `/v0/incidents/${incident.body.id}/updates`, { state: 'monitoring', body: 'Once more.' });
  const deliveries = await until(
    async () => (await api('GET', `/v0/incidents/${incident.body.id}/deliveries`)).body.data,
    rows => rows.length === 3,
  );
  t.deepEqual(
    deliveries.map((row: { state: string }) => row.state),
    ['sent', 'sent', 'sent'],
  );
});

test.serial('emails of a German page are German, and use the HTML that was stored for the page', async t => {
  await using mailbox = await startMailbox();
  const { api, visit, page } = await openStatusWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  await api('PATCH', `/v0/status-pages/${page.id}`, { locale: 'de' });
  await visit('POST', `/status/${page.slug}/subscribe`, { email: 'ada@example.com' });
  const path = `/v0/status-pages/${page.id}/subscribers`;
  await api('POST', path, { email: 'bob@example.com', consent: 'a test' });
  const incident = await api('POST', '/v0/incidents', {
    title: 'Checkout fails',
    severity: 'p1',
    status_page_id: page.id,
    initial_update: { state: 'investigating', body: '# Why' },
  });
  const emails = await until(
    async () => mailbox.emails,
    list => list.length === 2,
  );
  t.deepEqual(emails.map(email => /Bestätigen Sie Ihr Abonnement|Wird untersucht/.exec(email.text)?.[0]).sort(), [
    'Bestätigen Sie Ihr Abonnement',
    'Wird untersucht',
  ]);
  const updateId = String(incident.body.updates[0].id);
  const rendered = () =>
    withSql(databaseOf(), async sql => (await readNotices(sql, [updateId])).get(updateId)?.update.rendered ?? null);
  t.deepEqual(await until(rendered, text => text !== null), { html: '<h1>Why</h1>', excerpt: 'Why' });
});
