import test from 'ava';
import { signWebhook } from '#control-plane/delivery/transports/webhook/webhook.ts';
import { apiOf, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';
import { faultsOf } from '#test/support/problem.ts';
import { answer, ok, startTarget, type Target } from '#test/support/target.ts';

const databaseOf = useDatabase(test);

type Message = { type: string; timestamp: string; data: Record<string, Record<string, unknown> | null> };
const bodies = (target: Target) => target.requests.map(request => JSON.parse(request.body) as Message);

function isSigned(target: Target, secret: string): boolean {
  return target.requests.every(({ headers, body }) => {
    const [id, timestamp] = [String(headers['webhook-id']), Number(headers['webhook-timestamp'])];
    return headers['webhook-signature'] === signWebhook(secret, id, timestamp, body);
  });
}

test.serial('a rotated secret signs beside the new one until its overlap is over', async t => {
  await using target = await startTarget(ok());
  const world = await openNotificationWorld(t, databaseOf());
  const created = (await world.api('POST', '/v0/webhooks', { url: target.url, kinds: ['incident.opened'] })).body;
  t.is(created.previous_secret_until, null);
  const path = `/v0/webhooks/${created.id}`;
  const signatures = async (count: number) => {
    await world.incident();
    await target.requested(count);
    const request = target.requests[count - 1];
    if (request === undefined) throw new Error('no request');
    const { headers, body } = request;
    const [id, timestamp] = [String(headers['webhook-id']), Number(headers['webhook-timestamp'])];
    return {
      sent: String(headers['webhook-signature']).split(' '),
      of: (secret: string) => signWebhook(secret, id, timestamp, body),
    };
  };
  const before = await signatures(1);
  t.deepEqual(before.sent, [before.of(created.secret)]);

  const rotated = await world.api('POST', `${path}/rotate-secret`, {});
  t.is(rotated.status, 200);
  t.regex(rotated.body.secret, /^whsec_/);
  t.not(rotated.body.secret, created.secret);
  t.true(Date.parse(rotated.body.previous_secret_until) > Date.now() + 86_000_000);
  const overlapping = await signatures(2);
  t.deepEqual(overlapping.sent, [overlapping.of(rotated.body.secret), overlapping.of(created.secret)]);

  const last = (await world.api('POST', `${path}/rotate-secret`, { overlap_seconds: 0 })).body;
  t.is(last.previous_secret_until, null);
  const after = await signatures(3);
  t.deepEqual(after.sent, [after.of(last.secret)]);

  const other = await openNotificationWorld(t, databaseOf());
  t.is((await other.api('POST', `${path}/rotate-secret`)).status, 404);
  t.deepEqual(faultsOf(await world.api('POST', `${path}/rotate-secret`, { overlap_seconds: 604_801 })), [
    '/overlap_seconds out_of_range',
  ]);
  t.is((await signatures(4)).sent.length, 1);
});

test.serial('a project’s webhook receives alerts and incidents in order, signed, each once', async t => {
  await using target = await startTarget(ok());
  const world = await openNotificationWorld(t, databaseOf());
  const created = await world.api('POST', '/v0/webhooks', { url: `${target.url}hook?key=1` });
  t.is(created.status, 201);
  const alertId = await world.alert();
  await world.alertFact('alert.opened', alertId);
  await world.api('POST', `/v0/alerts/${alertId}/acknowledge`);
  await world.api('POST', `/v0/alerts/${alertId}/acknowledge`);
  const incidentId = await world.incident();
  await world.api('POST', `/v0/incidents/${incidentId}/resolve`, { body: 'done' });
  await target.requested(6);
  const received = bodies(target);
  t.deepEqual(
    received.map(message => message.type).filter(type => type.startsWith('alert.')),
    ['alert.opened', 'alert.acknowledged'],
  );
  t.deepEqual(
    received.map(message => message.type).filter(type => type.startsWith('incident.')),
    ['incident.opened', 'incident.updated', 'incident.updated', 'incident.resolved'],
  );
  t.true(isSigned(target, created.body.secret));
  t.is(new Set(target.requests.map(request => request.headers['webhook-id'])).size, 6);
  const update = received.find(message => message.type === 'incident.updated');
  t.like(update?.data.incident, { id: incidentId, title: 'Checkout fails' });
  t.like(update?.data.update, { state: 'investigating', body: 'first' });
  t.is(received.find(message => message.type === 'alert.opened')?.data.alert?.id, alertId);
});

test.serial('a webhook hears of outages, and of other kinds of alerts if it asks for them', async t => {
  await using target = await startTarget(ok());
  const world = await openNotificationWorld(t, databaseOf());
  for (const [path, asked] of Object.entries({ down: {}, slow: { alert_kinds: ['degraded'] } }))
    t.is(
      (await world.api('POST', '/v0/webhooks', { url: target.url + path, kinds: ['alert.opened'], ...asked })).status,
      201,
    );
  const both = { url: `${target.url}both`, kinds: ['alert.opened'] };
  const { id, alert_kinds } = (await world.api('POST', '/v0/webhooks', both)).body;
  t.deepEqual(alert_kinds, ['down']);
  await world.api('PATCH', `/v0/webhooks/${id}`, { alert_kinds: ['degraded', 'down'] });
  await world.alertFact('alert.opened', await world.alert());
  await world.alertFact('alert.opened', await world.alert({ kind: 'degraded' }));
  await target.requested(4);
  const heard = target.requests.map(({ url, body }) => `${url} ${JSON.parse(body).data.alert.kind}`);
  t.deepEqual(heard.sort(), ['/both degraded', '/both down', '/down down', '/slow degraded']);
});

test.serial('a webhook that fails is retried with the same id and the same body', async t => {
  await using target = await startTarget(answer(503));
  const world = await openNotificationWorld(t, databaseOf());
  const created = await world.api('POST', '/v0/webhooks', { url: target.url, kinds: ['incident.opened'] });
  await world.incident();
  const [waiting] = await world.deliveriesUntil(rows => rows[0]?.error !== null && rows.length === 1);
  t.like(waiting, {
    state: 'queued',
    attempts: 1,
    error: 'the receiver responded with HTTP status 503',
    recipient: target.url,
  });
  target.behaviour = ok();
  await world.retryNow();
  await world.deliveriesUntil(rows => rows[0]?.state === 'sent');
  const [first, second] = target.requests;
  t.is(target.requests.length, 2);
  t.deepEqual([first?.headers['webhook-id'], first?.body], [second?.headers['webhook-id'], second?.body]);
  t.true(isSigned(target, created.body.secret));
});

test.serial('a receiver that responds with 410 is disabled at once, and receives again when it is enabled', async t => {
  await using target = await startTarget(answer(410));
  const world = await openNotificationWorld(t, databaseOf());
  const { id } = (await world.api('POST', '/v0/webhooks', { url: target.url, kinds: ['incident.opened'] })).body;
  await world.incident();
  await world.deliveriesUntil(rows => rows[0]?.state === 'failed');
  const show = async () => (await world.api('GET', `/v0/webhooks/${id}`)).body;
  t.like(await until(show, webhook => !webhook.enabled), { enabled: false, failures: 1 });
  await world.incident();
  await world.factsDispatched();
  target.behaviour = ok();
  t.like((await world.api('PATCH', `/v0/webhooks/${id}`, { enabled: true })).body, { enabled: true, failures: 0 });
  await world.incident();
  await world.deliveriesUntil(rows => rows[0]?.state === 'sent' && rows.length === 2);
});

test.serial(
  'a subscriber’s webhook gets what the page shows; five consecutive failures quarantine it, a success resets them',
  async t => {
    await using target = await startTarget(ok());
    const world = await openNotificationWorld(t, databaseOf());
    const { id, secret } = await world.webhookSubscriber(target.url);
    const incidentId = await world.incident({ affected_components: [world.component.id] });
    await world.deliveriesUntil(rows => rows[0]?.state === 'sent');
    t.true(isSigned(target, secret));
    t.deepEqual(Object.keys(bodies(target)[0]?.data ?? {}), ['status_page', 'incident', 'update']);
    t.like(bodies(target)[0]?.data.incident, {
      title: 'Checkout fails',
      components: [{ id: world.component.id, name: 'API' }],
    });
    const path = `/v0/status-pages/${world.page.id}/subscribers`;
    const shown = async () =>
      (await world.api('GET', path)).body.data.find((subscriber: { id: string }) => subscriber.id === id) as {
        state: string;
        failures: number;
      };
    // A blocked address fails permanently at the first attempt.
    const blocked = await world.webhookSubscriber('http://10.0.0.1/');
    const other = async () =>
      (await world.api('GET', path)).body.data.find((subscriber: { id: string }) => subscriber.id === blocked.id);
    for (let count = 1; count <= 5; count++) {
      await world.update(incidentId, `update ${count}`);
      await until(other, subscriber => subscriber.failures === count);
    }
    t.is((await other()).state, 'quarantined');
    t.like(await shown(), { state: 'active', failures: 0 });
    const before = (await world.deliveries()).length;
    await world.update(incidentId, 'last');
    await world.deliveriesUntil(rows => rows.length === before + 1 && rows[0]?.state === 'sent');
  },
);

test.serial(
  'only its project can change, list and delete a webhook; readers see neither its secret nor its path',
  async t => {
    const world = await openNotificationWorld(t, databaseOf());
    const other = await openNotificationWorld(t, databaseOf());
    const created = (await world.api('POST', '/v0/webhooks', { url: 'https://example.com/secret-path' })).body;
    t.regex(created.secret, /^whsec_/);
    const path = `/v0/webhooks/${created.id}`;
    for (const method of ['GET', 'PATCH', 'DELETE'] as const)
      t.is((await other.api(method, path, method === 'PATCH' ? {} : undefined)).status, 404);
    const token = (await world.api('POST', '/v0/tokens', { name: 'r', scopes: ['project:read'] })).body.token;
    const reader = apiOf(world.replica.url, token);
    t.is((await reader('GET', path)).body.url, 'https://example.com/***');
    t.is((await world.api('GET', path)).body.url, 'https://example.com/secret-path');
    t.false(JSON.stringify((await world.api('GET', '/v0/webhooks')).body).includes('whsec_'));
    t.deepEqual(faultsOf(await world.api('PATCH', path, { kinds: ['nothing'], secret: 'x' })), [
      '/kinds/0 enum',
      '/secret read_only',
    ]);
    t.deepEqual((await world.api('PATCH', path, { kinds: ['alert.opened'] })).body.kinds, ['alert.opened']);
    t.is((await world.api('DELETE', path)).status, 204);
    t.is((await world.api('GET', path)).status, 404);
  },
);
