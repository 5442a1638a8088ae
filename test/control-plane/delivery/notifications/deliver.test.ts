import test from 'ava';
import {
  attempt,
  type DeliveryServices,
  loadContext,
  updateRecipientHealth,
} from '#control-plane/delivery/notifications/deliver.ts';
import { type Delivery, settle } from '#control-plane/delivery/notifications/delivery.ts';
import { renderShort } from '#control-plane/delivery/notifications/email/brief-rendering.ts';
import { findWebhook, insertWebhook, updateWebhook } from '#control-plane/delivery/notifications/webhooks/store.ts';
import type { Email } from '#control-plane/delivery/transports/email/email.ts';
import type { Outcome } from '#control-plane/delivery/transports/outcome.ts';
import { putSlack } from '#control-plane/delivery/transports/slack/installation-store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { postUpdate } from '#control-plane/publishing/incidents/post-update.ts';
import { lockIncident, markIncidentDeleted } from '#control-plane/publishing/incidents/store.ts';
import { findSubscriber, insertSubscribers } from '#control-plane/publishing/subscribers/store.ts';
import { failuresMax, type SubscriberState } from '#control-plane/publishing/subscribers/subscriber.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { createIncident, createPage, type PageRows, testKeyring } from '#test/support/page-rows.ts';

const databaseOf = useDatabase(test);
const now = Date.UTC(2026, 10, 20, 12);

/** Services whose SMTP server accepts everything. */
function servicesOf(sql: Sql, emails: Email[]): DeliveryServices {
  const mailer = {
    send: async (email: Email): Promise<Outcome> => {
      emails.push(email);
      return { type: 'sent' };
    },
    close: () => {},
  };
  const outbound = { post: async () => ({ status: 200, headers: {}, body: '' }) };
  const alertChannels = { attempt: async (): Promise<Outcome> => ({ type: 'sent' }), settled: async () => {} };
  return {
    sql,
    transact: work => work(sql),
    recordChange: async () => true,
    keyring: testKeyring,
    outbound,
    mailer,
    render: renderShort,
    baseUrl: 'https://up.example',
    slackApiUrl: '',
    alertChannels,
  };
}

async function createSubscriber(sql: Sql, page: PageRows, state: SubscriberState): Promise<string> {
  const address = {
    channel: 'email',
    address: 'ada@example.com',
    hash: Buffer.from(`${state}${page.projectId}`),
  } as const;
  const rest = { componentIds: [], state, consent: null, secret: null };
  const [id] = await insertSubscribers(sql, testKeyring, [{ ...page, ...address, ...rest }], now);
  if (id === undefined) throw new Error('the address is not new');
  return id;
}

async function createUpdate(sql: Sql, page: PageRows): Promise<{ incidentId: string; updateId: string }> {
  const incidentId = await createIncident(sql, page);
  const incident = await lockIncident(sql, page.projectId, incidentId);
  if (incident === null) throw new Error('there is no such incident');
  return { incidentId, updateId: await postUpdate(sql, incident, { state: 'identified', body: 'Found it.' }, now) };
}

function deliveryOf(page: PageRows, changes: Partial<Delivery>): Delivery {
  const ids = {
    id: 'dlv_1',
    project_id: page.projectId,
    subject: 'x',
    recipient: 'x',
    incident_id: null,
    thread: 'x',
    alert_id: null,
    group_id: null,
    channel_id: null,
    channel_type: null,
    route_id: null,
    step: null,
  };
  return { kind: 'incident_update', channel: 'email', payload: {}, attempts: 1, created_at: now, ...ids, ...changes };
}

async function attemptOnce(services: DeliveryServices, delivery: Delivery): Promise<Outcome> {
  return attempt(services, delivery, await loadContext(services.sql, [delivery]), now);
}

const cancelled = (error: string) => ({ type: 'cancelled', error });

test.serial('an update is emailed to an active subscriber, and cancelled for any other', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const emails: Email[] = [];
    const services = servicesOf(sql, emails);
    const { incidentId, updateId } = await createUpdate(sql, page);
    const to = (recipient: string) => deliveryOf(page, { subject: updateId, recipient });
    const active = await createSubscriber(sql, page, 'active');
    t.deepEqual(await attemptOnce(services, to(active)), { type: 'sent' });
    t.deepEqual(
      emails.map(email => [email.to, email.messageId, email.threadId]),
      [['ada@example.com', 'dlv_1', incidentId]],
    );
    for (const state of ['pending', 'unsubscribed', 'quarantined'] as const) {
      const subscriber = await createSubscriber(sql, page, state);
      t.deepEqual(await attemptOnce(services, to(subscriber)), cancelled(`the subscriber is ${state}`));
    }
    t.deepEqual(await attemptOnce(services, to('sub_none')), cancelled('the subscriber was deleted'));
    const held = { type: 'on_hold', error: 'email is not configured: SMTP_URL is not set' };
    t.deepEqual(await attemptOnce({ ...services, mailer: null }, to(active)), held);
    await markIncidentDeleted(sql, incidentId, now);
    t.deepEqual(await attemptOnce(services, to(active)), cancelled('the incident was deleted'));
    t.is(emails.length, 1);
  });
});

test.serial('a confirmation is emailed only while the subscriber is pending', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const emails: Email[] = [];
    const services = servicesOf(sql, emails);
    const to = (recipient: string) => deliveryOf(page, { kind: 'confirmation', recipient });
    const pending = await createSubscriber(sql, page, 'pending');
    t.deepEqual(await attemptOnce(services, to(pending)), { type: 'sent' });
    t.is(emails[0]?.subject, 'Confirm your subscription to a status page');
    const active = await createSubscriber(sql, page, 'active');
    t.deepEqual(await attemptOnce(services, to(active)), cancelled('the subscriber has already confirmed'));
    t.is((await attemptOnce({ ...services, mailer: null }, to(pending))).type, 'on_hold');
    t.is(emails.length, 1);
  });
});

test.serial('a project’s webhook gets nothing once it is disabled or deleted', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const services = servicesOf(sql, []);
    const posted = {
      url: 'https://example.com',
      kinds: ['alert.opened' as const],
      alert_kinds: ['down' as const],
      enabled: true,
    };
    const id = await insertWebhook(sql, testKeyring, page.projectId, posted, 'whsec_', now);
    const to = (recipient: string) => deliveryOf(page, { kind: 'webhook', channel: 'webhook', recipient });
    t.deepEqual(await attemptOnce(services, to(id)), { type: 'sent' });
    await updateWebhook(sql, testKeyring, page.projectId, id, { enabled: false });
    t.deepEqual(await attemptOnce(services, to(id)), cancelled('the webhook is disabled'));
    t.deepEqual(await attemptOnce(services, to('whk_none')), cancelled('the webhook was deleted'));
  });
});

test.serial('a Slack message is held while Slack is not connected', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const delivery = deliveryOf(page, { kind: 'alert', channel: 'slack' });
    t.deepEqual(await attemptOnce(servicesOf(sql, []), delivery), { type: 'on_hold', error: 'Slack is not connected' });
  });
});

test.serial('an escalation that is late is cancelled once the alert is acknowledged', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    await putSlack(sql, testKeyring, page.projectId, { token: 'xoxb-0123456789', signingSecret: null }, now);
    const alert = { id: 'alt_gone' };
    const delivery = deliveryOf(page, { kind: 'alert', channel: 'slack', payload: { step: 'escalated', alert } });
    t.deepEqual(await attemptOnce(servicesOf(sql, []), delivery), cancelled('the alert is deleted'));
  });
});

const failure = settle({ type: 'refused', error: 'no', gone: false, ours: false }, 1, 0);
const ourFailure = settle({ type: 'refused', error: 'no', gone: false, ours: true }, 1, 0);
const gone = settle({ type: 'refused', error: '410', gone: true, ours: false }, 1, 0);
const success = settle({ type: 'sent' }, 1, 0);

test.serial('a subscriber is quarantined after five failures in a row, or at once when it is gone', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const services = servicesOf(sql, []);
    const id = await createSubscriber(sql, page, 'active');
    const delivery = deliveryOf(page, { recipient: id });
    const settled = async (settlement: typeof failure) => {
      await updateRecipientHealth(services, delivery, settlement, await loadContext(sql, [delivery]), now);
      const row = await findSubscriber(sql, id);
      return `${row?.state} ${row?.failures}`;
    };
    for (let count = 1; count < failuresMax; count++) t.is(await settled(failure), `active ${count}`);
    t.is(await settled(ourFailure), `active ${failuresMax - 1}`);
    t.is(await settled(success), 'active 0');
    for (let count = 1; count < failuresMax; count++) t.is(await settled(failure), `active ${count}`);
    t.is(await settled(failure), `quarantined ${failuresMax}`);
    const other = await createSubscriber(sql, await createPage(databaseOf()), 'active');
    const toOther = deliveryOf(page, { recipient: other });
    await updateRecipientHealth(services, toOther, gone, await loadContext(sql, [toOther]), now);
    t.is((await findSubscriber(sql, other))?.state, 'quarantined');
  });
});

test.serial('a webhook is disabled after five failures in a row, or at once when it is gone', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const services = servicesOf(sql, []);
    const posted = {
      url: 'https://example.com',
      kinds: ['alert.opened' as const],
      alert_kinds: ['down' as const],
      enabled: true,
    };
    const id = await insertWebhook(sql, testKeyring, page.projectId, posted, 'whsec_', now);
    const delivery = deliveryOf(page, { kind: 'webhook', channel: 'webhook', recipient: id });
    const settled = async (settlement: typeof failure) => {
      await updateRecipientHealth(services, delivery, settlement, await loadContext(sql, [delivery]), now);
      const row = await findWebhook(sql, page.projectId, id);
      return `${row?.enabled === true ? 'enabled' : 'disabled'} ${row?.failures}`;
    };
    t.is(await settled(failure), 'enabled 1');
    t.is(await settled(success), 'enabled 0');
    for (let count = 1; count < failuresMax; count++) t.is(await settled(failure), `enabled ${count}`);
    t.is(await settled(ourFailure), `enabled ${failuresMax - 1}`);
    t.is(await settled(failure), `disabled ${failuresMax}`);
    await updateWebhook(sql, testKeyring, page.projectId, id, { enabled: true });
    t.is(await settled(gone), 'disabled 1');
  });
});
