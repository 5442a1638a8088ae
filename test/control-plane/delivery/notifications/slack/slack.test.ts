import test from 'ava';
import { escalateAlerts } from '#control-plane/monitoring/alerts/escalate.ts';
import { useDatabase } from '#test/support/database.ts';
import { openNotificationWorldOn } from '#test/support/notification-world.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';
import { answer, type Behaviour, startTarget, type Target } from '#test/support/target.ts';

const databaseOf = useDatabase(test);
let slack: Target;
test.before(async () => {
  slack = await startTarget();
});
test.after.always(() => slack[Symbol.asyncDispose]());
const token = 'xoxb-swordfish-0123456789';

type Posted = {
  channel: string;
  text: string;
  thread_ts?: string;
  reply_broadcast?: boolean;
  blocks: { text: { text: string } }[];
};
const posted = () => slack.requests.map(request => JSON.parse(request.body) as Posted);

/** Answers as Slack does: a timestamp for each message, and the id of the channel for its name. */
function slackApi(): Behaviour {
  let count = 0;
  return (request, response) => {
    count += 1;
    const authorized = request.headers.authorization === `Bearer ${token}`;
    const body = authorized
      ? { ok: true, channel: 'C0123', ts: `1000.${count}` }
      : { ok: false, error: 'invalid_auth' };
    answer(200, JSON.stringify(body))(request, response);
  };
}

/** A project on the replica of all tests, beginning with no requests to Slack. */
async function openSlackWorld(behaviour: Behaviour = slackApi(), connect = true) {
  slack.behaviour = behaviour;
  slack.requests.length = 0;
  const replica = await sharedReplica(databaseOf(), { slackApiUrl: `${slack.url}api` });
  const world = await openNotificationWorldOn(replica, databaseOf());
  if (connect) await world.api('PUT', '/v0/slack', { bot_token: token });
  const alert_policy = { slack_channel: '#ops', escalate_after_minutes: 1 };
  await world.api('PATCH', `/v0/monitors/${world.monitor.id}`, { alert_policy });
  return world;
}

test.serial(
  'an alert is posted to Slack once, its escalation and its end in the thread of the first message',
  async t => {
    const world = await openSlackWorld();
    // Old enough to escalate only once it was announced.
    const alertId = await world.alert({ startedAt: Date.now() });
    await world.alertFact('alert.opened', alertId);
    await slack.requested(1);
    await world.replica.pools.background.query(
      "update alerts set started_at = started_at - interval '1 hour' where id = $1",
      [alertId],
    );
    await slack.requested(2);
    await escalateAlerts(world.replica.pools.background, Date.now());
    await world.alertFact('alert.resolved', alertId);
    await world.deliveriesUntil(rows => rows.filter(row => row.state === 'sent').length === 3);
    const [opened, escalated, resolved] = posted();
    t.is(posted().length, 3, 'escalated once');
    t.deepEqual([opened?.channel, opened?.thread_ts], ['#ops', undefined]);
    t.deepEqual([escalated?.channel, escalated?.thread_ts], ['C0123', '1000.1']);
    t.deepEqual([resolved?.channel, resolved?.thread_ts], ['C0123', '1000.1']);
    t.deepEqual(
      [opened, escalated, resolved].map(message => message?.reply_broadcast),
      [undefined, true, undefined],
    );
    t.is(slack.requests[0]?.url, '/api/chat.postMessage');
    t.true(opened?.blocks.some(block => block.text.text.includes(`http://localhost:8080/#/alerts/${alertId}`)));
    t.true(escalated?.text.includes('Not acknowledged yet'));
  },
);

test.serial('an alert that is acknowledged, paused or resolved does not escalate', async t => {
  const late = { startedAt: Date.now() - 3_600_000 };
  const texts: string[] = [];
  for (const state of ['acknowledged', 'paused', 'resolved']) {
    const world = await openSlackWorld();
    await world.api('PATCH', `/v0/monitors/${world.monitor.id}`, {
      alert_policy: { slack_channel: '#ops', escalate_after_minutes: 1440 },
    });
    const alertId = await world.alert(late);
    await world.alertFact('alert.opened', alertId);
    if (state === 'acknowledged') await world.api('POST', `/v0/alerts/${alertId}/acknowledge`);
    if (state === 'paused') await world.api('POST', `/v0/monitors/${world.monitor.id}/pause`);
    if (state === 'resolved')
      await world.replica.pools.background.query(
        "update alerts set state = 'resolved', resolved_at = now() where id = $1",
        [alertId],
      );
    await world.api('PATCH', `/v0/monitors/${world.monitor.id}`, {
      alert_policy: { slack_channel: '#ops', escalate_after_minutes: 1 },
    });
    t.is(await escalateAlerts(world.replica.pools.background, Date.now()), 0, state);
    await world.deliveriesUntil(rows => rows.length === 1 && rows[0]?.state === 'sent');
    texts.push(...posted().map(message => message.text));
  }
  t.false(texts.some(text => text.includes('Not acknowledged yet')));
});

test.serial('Slack’s Retry-After is respected, and its permanent errors end the delivery', async t => {
  const world = await openSlackWorld(answer(429, '', { 'retry-after': '600' }));
  // Recent, so that it does not escalate meanwhile.
  const alertId = await world.alert({ startedAt: Date.now() });
  await world.alertFact('alert.opened', alertId);
  const [waiting] = await world.deliveriesUntil(rows => rows[0]?.error === 'Slack: ratelimited');
  t.is(waiting?.state, 'queued');
  const next = Date.parse((waiting as unknown as { next_attempt_at: string }).next_attempt_at) - Date.now();
  t.true(next > 500_000 && next <= 600_000, String(next));
  slack.behaviour = answer(200, '{"ok": false, "error": "channel_not_found"}');
  await world.retryNow();
  const [failed] = await world.deliveriesUntil(rows => rows[0]?.state === 'failed');
  t.like(failed, { error: 'Slack: channel_not_found', attempts: 2, recipient: '#ops', channel: 'slack' });
  slack.behaviour = slackApi();
  t.is((await world.api('POST', `/v0/deliveries/${failed?.id}/replay`)).status, 200);
  await world.deliveriesUntil(rows => rows[0]?.state === 'sent');
});

test.serial('without a connection a message is held until Slack is connected; the token is never returned', async t => {
  const world = await openSlackWorld(slackApi(), false);
  t.deepEqual((await world.api('GET', '/v0/slack')).body, { connected: false, connected_at: null });
  // Recent, so that it does not escalate meanwhile.
  const alertId = await world.alert({ startedAt: Date.now() });
  await world.alertFact('alert.opened', alertId);
  const [held] = await world.deliveriesUntil(rows => rows[0]?.state === 'held');
  t.is(held?.error, 'Slack is not connected');
  const put = await world.api('PUT', '/v0/slack', { bot_token: token });
  const got = await world.api('GET', '/v0/slack');
  for (const reply of [put, got])
    t.deepEqual([reply.body.connected, JSON.stringify(reply.body).includes(token)], [true, false]);
  await world.api('POST', `/v0/deliveries/${held?.id}/replay`);
  await world.deliveriesUntil(rows => rows[0]?.state === 'sent');
  t.is((await world.api('DELETE', '/v0/slack')).status, 204);
  t.is((await world.api('GET', '/v0/slack')).body.connected, false);
});

test.serial('the audit says that a signing secret was given, changed and taken away, and never shows it', async t => {
  const { api } = await openSlackWorld(slackApi(), false);
  const secrets = ['signing-secret-1', 'signing-secret-2', null];
  for (const signing_secret of secrets)
    t.is((await api('PUT', '/v0/slack', { bot_token: token, signing_secret })).status, 200);
  type Entry = { before: Record<string, unknown> | null; after: Record<string, unknown> };
  const entries: Entry[] = (await api('GET', '/v0/audit?action=slack.connected')).body.data.toReversed();
  const [given, changed, removed] = entries;
  t.regex(String(given?.after.signing_secret), /^secret:[0-9a-f]{8}$/);
  t.is(changed?.before?.signing_secret, given?.after.signing_secret);
  t.regex(String(changed?.after.signing_secret), /^secret:/);
  t.not(changed?.after.signing_secret, changed?.before?.signing_secret);
  t.is(removed?.before?.signing_secret, changed?.after.signing_secret);
  t.is(removed?.after.signing_secret, null);
  t.false(JSON.stringify(entries).includes('signing-secret'));
});
