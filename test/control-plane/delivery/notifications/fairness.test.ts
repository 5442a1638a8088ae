import test from 'ava';
import { apiOf, createTenant } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';
import { answer, ok, silent, startTarget } from '#test/support/target.ts';

const databaseOf = useDatabase(test);
const hooks = 40;

test.serial('a project whose webhooks all hang delays neither Slack nor the webhook of another', async t => {
  await using blackHole = await startTarget(silent());
  await using receiver = await startTarget(ok());
  await using slack = await startTarget(answer(200, JSON.stringify({ ok: true, channel: 'C1', ts: '1.1' })));
  const world = await openNotificationWorld(t, databaseOf(), { slackApiUrl: `${slack.url}api` });
  const { token } = await createTenant(databaseOf(), ['*'], 'agency');
  const hostile = apiOf(world.replica.url, token);
  const page = (await hostile('POST', '/v0/status-pages', { name: 'Black hole', slug: 'black-hole' })).body;
  for (let index = 0; index < hooks; index++)
    await hostile('POST', `/v0/status-pages/${page.id}/subscribers`, {
      channel: 'webhook',
      url: `${blackHole.url}${index}`,
    });
  const initial_update = { state: 'investigating', body: 'x' };
  await hostile('POST', '/v0/incidents', { title: 'x', severity: 'p1', status_page_id: page.id, initial_update });
  await blackHole.requested(4);

  await world.api('PUT', '/v0/slack', { bot_token: 'xoxb-0123456789' });
  await world.api('POST', '/v0/webhooks', { url: receiver.url, kinds: ['alert.opened'] });
  await world.api('PATCH', `/v0/monitors/${world.monitor.id}`, { alert_policy: { slack_channel: '#ops' } });
  await world.alertFact('alert.opened', await world.alert());
  await Promise.all([slack.requested(1), receiver.requested(1)]);
  t.true(blackHole.concurrentMax <= 28, `${blackHole.concurrentMax} at once`);
});

test.serial('a receiver that hangs keeps no other of its project waiting', async t => {
  await using hanging = await startTarget(silent());
  await using receiver = await startTarget(ok());
  const world = await openNotificationWorld(t, databaseOf(), {});
  for (const url of [hanging.url, receiver.url])
    await world.api('POST', '/v0/webhooks', { url, kinds: ['incident.opened'] });
  for (let number = 1; number <= 12; number++) await world.incident();
  await receiver.requested(12);
  // Ten seconds each: behind them the twelfth would come after eleven.
  t.true(hanging.requests.length <= 8, `all came while it hung ${hanging.requests.length} times`);
});

test.serial('with half of 40 receivers hanging the others hear while the first attempts hang', async t => {
  await using hanging = await startTarget(silent());
  await using receiver = await startTarget(ok());
  const world = await openNotificationWorld(t, databaseOf(), {});
  for (let index = 0; index < hooks / 2; index++)
    for (const { url } of [hanging, receiver]) await world.webhookSubscriber(`${url}${index}`);
  await world.incident({ initial_update: { state: 'investigating', body: 'x' } });
  await receiver.requested(hooks / 2);
  t.true(hanging.requests.length <= hooks / 2, 'none of them hangs for the second time');
});

test.serial('a receiver gets its messages back to back, in the order of their facts', async t => {
  await using receiver = await startTarget(ok());
  const world = await openNotificationWorld(t, databaseOf(), {});
  await world.api('POST', '/v0/webhooks', { url: receiver.url, kinds: ['incident.updated'] });
  const incidentId = await world.incident({ initial_update: null });
  const count = 60;
  for (let number = 1; number <= count; number++) await world.update(incidentId, `number ${number}`);
  await receiver.requested(count);
  const bodies = receiver.requests.map(request => /number \d+/.exec(request.body)?.[0]);
  t.deepEqual(
    bodies,
    Array.from({ length: count }, (_, index) => `number ${index + 1}`),
  );
  t.is(receiver.concurrentMax, 1);
});
