import test from 'ava';
import { relayConditions } from '#control-plane/delivery/notifications/email/relay-condition.ts';
import { watchNotices } from '#control-plane/monitoring/notices/watch.ts';
import { startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { type NotificationWorld, openNotificationWorld } from '#test/support/notification-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
// Serial: the state of the relay is one for all projects.

const forgetRelay = () =>
  withSql(databaseOf(), async sql => {
    await sql.run`update email_relay set accepted_at = null, failing_since = null, failed_at = null, error = null`;
    await sql.run`delete from email_refusals`;
    await sql.run`delete from deliveries where state = 'queued'`;
  });

type Shown = { email: string; state: string; failures: number };
const shown = async (world: NotificationWorld) =>
  (await world.api('GET', `/v0/status-pages/${world.page.id}/subscribers?limit=200`)).body.data as Shown[];

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@burst.example`);

test.serial('an answer that several recipients get is the relay’s: retried, nobody is quarantined', async t => {
  await forgetRelay();
  await using mailbox = await startMailbox();
  mailbox.refuse = () => ({ code: 550, text: 'daily sending limit exceeded' });
  const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  // Two replicas see the answers.
  const second = await startReplica(databaseOf(), { smtpUrl: mailbox.url });
  t.teardown(() => second.stop());
  for (const email of addresses(6)) await world.subscriber(email);
  // One failure more would quarantine.
  await withSql(
    databaseOf(),
    sql => sql.run`update subscribers set failures = 4 where status_page_id = ${world.page.id}`,
  );
  await world.incident();
  await world.deliveriesUntil(
    rows => rows.length === 6 && rows.every(row => row.state === 'queued' && row.error !== null),
  );
  t.deepEqual(new Set((await shown(world)).map(({ state }) => state)), new Set(['active']));
  t.true((await shown(world)).every(({ failures }) => failures === 4));
  mailbox.refuse = () => null;
  await world.retryNow();
  await until(
    async () => mailbox.emails.length,
    count => count === 6,
  );
});

test.serial('a relay that accepts others is not to blame for dead addresses', async t => {
  await forgetRelay();
  await using mailbox = await startMailbox();
  mailbox.refuse = to => (to.startsWith('p') ? { code: 550, text: 'no such user' } : null);
  const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  for (const email of addresses(4)) await world.subscriber(email);
  await world.incident();
  await world.deliveriesUntil(rows => rows.filter(row => row.error !== null).length === 4);
  // A confirmation: nothing else is sent after the relay accepted it.
  await world.api('POST', `/v0/status-pages/${world.page.id}/subscribers`, { email: 'alive@burst.example' });
  await until(
    async () => mailbox.to('alive@burst.example').length,
    count => count === 1,
  );
  // The first retry is after five seconds.
  await until(
    async () => (await world.deliveries('&state=failed')).length,
    count => count === 4,
  );
  const dead = (await shown(world)).filter(({ email }) => email.startsWith('p'));
  t.true(dead.every(({ failures }) => failures > 0));
});

for (const [stage, refuse] of [
  ['to MAIL FROM', 'sender'],
  ['of 5.7.1 to RCPT', 'recipient'],
] as const)
  test.serial(`an answer ${stage} opens a notice, and an accepted email closes it`, async t => {
    await forgetRelay();
    await using mailbox = await startMailbox();
    const limit = { code: 550, text: '5.7.1 daily sending limit exceeded' };
    if (refuse === 'sender') mailbox.refuseSender = () => limit;
    else mailbox.refuse = () => limit;
    const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
    await world.subscriber('ada@example.com');
    await world.incident();
    const [delivery] = await world.deliveriesUntil(rows => rows[0]?.error !== null && rows[0] !== undefined);
    t.is(delivery?.state, 'queued');
    t.regex(delivery?.error ?? '', new RegExp(`refused the ${refuse}: 550 5.7.1`));
    const pools = patientPools(databaseOf());
    t.teardown(() => pools.end());
    const notices = async (atMs: number) => {
      await watchNotices(pools.background, { operatorProject: world.projectId, sources: [relayConditions] }, atMs);
      const { data } = (await world.api('GET', '/v0/notices?kind=email.failing&state=open')).body;
      return data as { detail: string }[];
    };
    t.deepEqual(await notices(Date.now()), [], 'not yet: it may have passed');
    const [notice] = await notices(Date.now() + 61_000);
    t.regex(notice?.detail ?? '', /550 5\.7\.1 daily sending limit exceeded/);
    mailbox.refuse = () => null;
    mailbox.refuseSender = () => null;
    await world.retryNow();
    await world.deliveriesUntil(rows => rows[0]?.state === 'sent');
    await until(
      () => notices(Date.now() + 62_000),
      open => open.length === 0,
    );
    const [healthy] = await shown(world);
    t.like(healthy, { state: 'active', failures: 0 });
  });
