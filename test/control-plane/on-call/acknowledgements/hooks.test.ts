import { createHmac } from 'node:crypto';
import test from 'ava';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { apiOf, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

test.serial('a click in Slack and an acknowledgement in PagerDuty count once their signatures hold', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const { api, made, projectId, clock } = world;
  await api('PUT', '/v0/slack', { bot_token: 'xoxb-0123456789', signing_secret: 'signing-secret' });
  const config = { routing_key: 'routing-key', webhook_secret: 'hook-secret' };
  const pager = (await made('/v0/channels', { type: 'pagerduty', name: 'pager', config })).id;
  const chat = await world.channel('chat');
  await made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids: [chat] }] });
  const [byClick] = await world.open([await world.monitor('a')], { severity: 'p1' });
  const [byPager] = await world.open([await world.monitor('b')], { severity: 'p1' });
  await until(
    () => world.messages('chat').length,
    count => count === 2,
  );
  const alert = async (id = '') => (await api('GET', `/v0/alerts/${id}`)).body;
  const first = world.messages('chat').find(({ title }) => title?.includes(byClick?.monitorId ?? '-'));
  const value = first?.link?.split('/').at(-1);
  const payload = JSON.stringify({
    user: { id: 'U1', username: 'ada' },
    actions: [{ action_id: 'acknowledge', value }],
  });
  const body = new URLSearchParams({ payload }).toString();
  const open = apiOf(world.replica.url, '');
  const click = (seconds: number, secret: string) =>
    open('POST', `/hooks/slack/${projectId}`, body, {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': `v0=${hmac(secret, `v0:${seconds}:${body}`)}`,
    });
  const now = Math.floor(clock.now() / 1000);
  t.is((await click(now, 'another')).body.code, 'invalid_signature');
  t.is((await click(now - 400, 'signing-secret')).status, 401, 'too old');
  t.is((await alert(byClick?.id)).state, 'open');
  t.is((await click(now, 'signing-secret')).status, 200);
  t.is((await click(now, 'signing-secret')).status, 200, 'again');
  t.like(await alert(byClick?.id), {
    state: 'acknowledged',
    acknowledged_by: { type: 'slack', id: 'U1', name: 'ada' },
  });
  const data = { incident_key: (await alert(byPager?.id)).group_id };
  const event = { event_type: 'incident.resolved', agent: { id: 'PU1', summary: 'Gra\0\ud800ce' }, data };
  const text = JSON.stringify({ event });
  const page = (secret: string) =>
    open('POST', `/hooks/pagerduty/${pager}`, text, {
      'content-type': 'application/json',
      'x-pagerduty-signature': `v1=${hmac('old', text)},v1=${hmac(secret, text)}`,
    });
  t.is((await page('another')).status, 401);
  t.is((await page('hook-secret')).status, 200);
  t.like(await alert(byPager?.id), {
    state: 'acknowledged',
    acknowledged_by: { type: 'pagerduty', name: 'Gra \ufffdce' },
  });
  const entries = (await api('GET', '/v0/audit?action=alert_group.acknowledged')).body.data;
  t.deepEqual(
    entries.map(({ actor }: { actor: { type: string } }) => actor.type),
    ['pagerduty', 'slack'],
  );
  for (const entry of entries) t.regex(entry.request_id, /^req_/);
  const odd = JSON.stringify({ event: { event_type: 'incident.resolved', data: { incident_key: 'agp_\0\ud800' } } });
  const signed = { 'content-type': 'application/json', 'x-pagerduty-signature': `v1=${hmac('hook-secret', odd)}` };
  t.is((await open('POST', `/hooks/pagerduty/${pager}`, odd, signed)).status, 200, 'a group that cannot be');
  const explained = (await api('GET', `/v0/alerts/${byClick?.id}/explanation`)).body;
  t.true(explained.deliveries.some((delivery: { channel: string }) => delivery.channel === 'http'));
  for (const path of [`/hooks/pagerduty/${chat}`, '/hooks/pagerduty/chn_none', '/hooks/slack/proj_none']) {
    const refused = await open('POST', path, '{}');
    t.deepEqual([refused.status, refused.body.code], [401, 'invalid_signature'], `${path} is as with a wrong secret`);
  }
});

test.serial('what PagerDuty said before an alert opened does not acknowledge it, however late it comes', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const { api, made } = world;
  const config = { routing_key: 'routing-key', webhook_secret: 'hook-secret' };
  const pager = (await made('/v0/channels', { type: 'pagerduty', name: 'pager', config })).id;
  const chat = await world.channel('chat');
  await made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids: [chat] }] });
  const [opened] = await world.open([await world.monitor('a')], { severity: 'p1' });
  const alert = async () => (await api('GET', `/v0/alerts/${opened?.id}`)).body;
  const groupId = (await until(alert, ({ group_id }) => group_id !== null)).group_id;
  const say = async (occurredAt: number) => {
    const occurred_at = new Date(occurredAt).toISOString();
    const event = { event_type: 'incident.acknowledged', occurred_at, data: { incident_key: groupId } };
    const text = JSON.stringify({ event });
    const signature = `v1=${hmac('hook-secret', text)}`;
    const headers = { 'content-type': 'application/json', 'x-pagerduty-signature': signature };
    t.is((await apiOf(world.replica.url, '')('POST', `/hooks/pagerduty/${pager}`, text, headers)).status, 200);
    return (await alert()).state;
  };
  const { opened_at } = await alert();
  world.pass(3_600_000);
  t.is(await say(Date.parse(opened_at) - 301_000), 'open', 'the group had another alert then');
  t.is(await say(Date.parse(opened_at) - 60_000), 'acknowledged', 'clocks differ');
});
