import test from 'ava';
import { claimDeliveries } from '#control-plane/delivery/notifications/queue-store.ts';
import { allowImports, apiOf, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';
import { delayed, ok, silent, startTarget } from '#test/support/target.ts';

const databaseOf = useDatabase(test);

test.serial('updates reach each recipient in the order of posting, whatever fails in between', async t => {
  await using mailbox = await startMailbox();
  const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  await world.subscriber('ada@example.com');
  await world.subscriber('bob@example.com');
  mailbox.refuse = to => (to === 'bob@example.com' ? { code: 451, text: 'later' } : null);
  const incidentId = await world.incident();
  for (const number of [1, 2, 3]) await world.update(incidentId, `number ${number}`);
  await until(
    async () => mailbox.to('ada@example.com').length,
    count => count === 4,
  );
  const bob = await world.deliveriesUntil(rows =>
    rows.some(row => row.recipient === 'bob@example.com' && row.attempts === 1),
  );
  t.deepEqual(
    bob.filter(row => row.recipient === 'bob@example.com').map(row => row.attempts),
    [0, 0, 0, 1],
    'later updates wait for the earlier one',
  );
  // Another incident is independent.
  await world.incident({ title: 'Other' });
  await world.deliveriesUntil(
    rows => rows.filter(row => row.recipient === 'bob@example.com' && row.attempts === 1).length === 2,
  );
  mailbox.refuse = () => null;
  await world.retryNow();
  await until(
    async () => mailbox.to('bob@example.com').length,
    count => count === 5,
  );
  for (const address of ['ada@example.com', 'bob@example.com']) {
    const texts = mailbox.to(address).map(email => /number \d|first/.exec(email.text)?.[0]);
    const ofIncident = texts.filter(
      (_, index) => mailbox.to(address)[index]?.headers.get('subject')?.[0] === '[Acme] Checkout fails',
    );
    t.deepEqual(ofIncident, ['first', 'number 1', 'number 2', 'number 3'], address);
  }
});

test.serial('two replicas deliver everything once', async t => {
  await using mailbox = await startMailbox();
  await using target = await startTarget(delayed(5, ok()));
  const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  const second = await startReplica(databaseOf(), { smtpUrl: mailbox.url });
  t.teardown(() => second.stop());
  const people = Array.from({ length: 300 }, (_, index) => ({ email: `p${index}@example.com` }));
  await allowImports(databaseOf(), world.projectId);
  await world.api('POST', `/v0/status-pages/${world.page.id}/subscribers/import`, {
    consent: 'a test',
    subscribers: people,
  });
  for (const index of Array.from({ length: 20 }).keys()) await world.webhookSubscriber(`${target.url}${index}`);
  const incidentId = await world.incident();
  await world.update(incidentId, 'second');
  await until(
    async () => mailbox.emails.length + target.requests.length,
    count => count >= 640,
  );
  await until(
    async () => (await world.api('GET', '/v0/deliveries?state=queued')).body.data.length,
    count => count === 0,
  );
  const ids = mailbox.emails.map(email => email.headers.get('message-id')?.[0]);
  t.deepEqual([ids.length, new Set(ids).size], [600, 600]);
  t.is(new Set(mailbox.emails.map(email => email.to)).size, 300);
  const hooks = target.requests.map(request => request.headers['webhook-id']);
  t.deepEqual([hooks.length, new Set(hooks).size], [40, 40]);
});

test.serial('deliveries claimed by a replica that died are sent by another within 35 seconds', async t => {
  await using mailbox = await startMailbox();
  const world = await openNotificationWorld(t, databaseOf(), {});
  await world.subscriber('left@example.com');
  await world.replica.pools.background.query("update deliveries set state = 'cancelled' where state = 'queued'");
  await world.replica.stop();
  const offline = await startReplica(databaseOf(), { smtpUrl: 'smtp://127.0.0.1:9' });
  const api = apiOf(offline.url, world.token);
  // This replica claims the delivery and dies.
  const initial_update = { state: 'investigating', body: 'x' };
  await api('POST', '/v0/incidents', { title: 'x', severity: 'p1', status_page_id: world.page.id, initial_update });
  await until(
    async () => (await api('GET', '/v0/deliveries')).body.data as { attempts: number }[],
    rows => rows[0]?.attempts === 1,
  );
  await offline.stop();
  await world.retryNow();
  const now = Date.now();
  const request = { channel: 'email', limit: 10, perProject: 4, capacities: [], leftOut: [] } as const;
  const claimed = await withSql(databaseOf(), sql => claimDeliveries(sql, request, now + 1000));
  t.deepEqual(
    claimed.map(delivery => delivery.attempts),
    [2],
  );
  const tooEarly = await withSql(databaseOf(), sql => claimDeliveries(sql, request, now + 30_000));
  t.deepEqual(tooEarly, []);
  const survivor = await startReplica(databaseOf(), { smtpUrl: mailbox.url }, { now: () => Date.now() + 35_000 });
  t.teardown(() => survivor.stop());
  await until(
    async () => mailbox.to('left@example.com').length,
    count => count === 1,
  );
});

test.serial('without an SMTP server emails are held with the reason, and sent when they are replayed', async t => {
  const world = await openNotificationWorld(t, databaseOf(), {});
  await world.subscriber('held@example.com');
  const incidentId = await world.incident();
  const [held] = await world.deliveriesUntil(rows => rows[0]?.state === 'held');
  t.like(held, {
    error: 'email is not configured: SMTP_URL is not set',
    attempts: 0,
    recipient: 'held@example.com',
    kind: 'incident_update',
  });
  await world.replica.stop();
  await using mailbox = await startMailbox();
  const replica = await startReplica(databaseOf(), { smtpUrl: mailbox.url });
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, world.token);
  t.like((await api('POST', `/v0/deliveries/${held?.id}/replay`)).body, { id: held?.id, state: 'queued' });
  const sent = await until(
    async () => (await api('GET', `/v0/incidents/${incidentId}/deliveries`)).body.data[0],
    row => row.state === 'sent',
  );
  t.truthy(sent.sent_at);
  t.is(mailbox.to('held@example.com').length, 1);
  const again = await api('POST', `/v0/deliveries/${held?.id}/replay`);
  t.deepEqual([again.status, again.body.code], [409, 'delivery_not_replayable']);
  t.is((await api('POST', '/v0/deliveries/dlv_none/replay')).status, 404);
});

test.serial(
  'a refusal ends the delivery and is listed, its address masked for callers that may not read subscribers',
  async t => {
    await using mailbox = await startMailbox();
    mailbox.refuse = () => ({ code: 550, text: 'no such user gone@example.com' });
    const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
    await world.subscriber('gone@example.com');
    await world.incident();
    const [failed] = await world.deliveriesUntil(rows => rows[0]?.state === 'failed');
    t.like(failed, { attempts: 1, recipient: 'gone@example.com' });
    t.regex(failed?.error ?? '', /^the SMTP server refused the recipient: 550 no such user …$/);
    const token = (await world.api('POST', '/v0/tokens', { name: 'i', scopes: ['incidents:read'] })).body.token;
    const masked = (await apiOf(world.replica.url, token)('GET', '/v0/deliveries?state=failed,held&channel=email')).body
      .data;
    t.deepEqual(
      masked.map((row: { recipient: string }) => row.recipient),
      ['g***@example.com'],
    );
    t.deepEqual(await world.deliveries('&state=sent'), []);
    t.is((await world.api('GET', '/v0/deliveries?state=nothing')).status, 400);
  },
);

test.serial('a slow receiver delays neither another channel nor another receiver', async t => {
  await using slow = await startTarget(silent());
  await using quick = await startTarget(ok());
  await using mailbox = await startMailbox();
  const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  await world.subscriber('quick@example.com');
  const kinds = ['incident.opened'];
  await world.api('POST', '/v0/webhooks', { url: slow.url, kinds });
  for (let count = 0; count < 20; count++) await world.incident({ title: `Incident ${count}` });
  await slow.requested(1);
  await world.api('POST', '/v0/webhooks', { url: quick.url, kinds });
  await world.incident({ title: 'after' });
  await quick.requested(1);
  await until(
    async () => mailbox.to('quick@example.com').length,
    count => count === 21,
  );
  t.is(slow.concurrentMax, 1, 'one delivery at a time per receiver');
});

test.serial('deleting a subscriber or an incident cancels its queued emails', async t => {
  await using mailbox = await startMailbox();
  mailbox.refuse = () => ({ code: 451, text: 'later' });
  const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  const { id } = (await world.subscriber('leaver@example.com')).body;
  await world.incident();
  await world.deliveriesUntil(rows => rows[0]?.attempts === 1);
  t.is((await world.api('DELETE', `/v0/status-pages/${world.page.id}/subscribers/${id}`)).status, 204);
  const [row] = await world.deliveries();
  t.like(row, { state: 'cancelled', error: 'the subscriber unsubscribed', recipient: null, recipient_id: id });
  const other = await world.subscriber('second@example.com');
  const incidentId = await world.incident();
  await world.deliveriesUntil(rows => rows[0]?.recipient_id === other.body.id && rows[0]?.attempts === 1);
  await world.api('DELETE', `/v0/incidents/${incidentId}`);
  await world.deliveriesUntil(rows => rows[0]?.state === 'cancelled' && rows[0]?.error === 'the incident was deleted');
});
