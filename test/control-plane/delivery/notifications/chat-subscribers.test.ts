import test from 'ava';
import { slack as slackBody, teams as teamsBody } from '#test/support/channel-bodies.ts';
import { until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';
import { answer, startTarget } from '#test/support/target.ts';

const databaseOf = useDatabase(test);

test.serial('Slack and Teams get what the page says, in their own form, and no signature', async t => {
  await using target = await startTarget(answer(200, 'ok'));
  const { api, page, incident, deliveriesUntil } = await openNotificationWorld(t, databaseOf());
  const path = `/v0/status-pages/${page.id}/subscribers`;
  for (const channel of ['slack', 'teams']) {
    const url = `${target.url}${channel}/secret-path`;
    const added = await api('POST', path, { channel, url });
    const shown = `${new URL(target.url).origin}/***`;
    t.like(added, { status: 201, body: { channel, url: shown, email: null, state: 'active' } });
    t.is(added.body.secret, undefined);
    t.is((await api('POST', path, { channel, url })).status, 200, 'the same again is no other subscriber');
  }
  await incident({
    title: '<!channel> Checkout *fails*',
    initial_update: { state: 'investigating', body: 'We are **looking** into it, see [here](https://evil.example).' },
  });
  await deliveriesUntil(rows => rows.length === 2 && rows.every(({ state }) => state === 'sent'));
  const bodyOf = (channel: string) =>
    JSON.parse(target.requests.find(({ url }) => url.startsWith(`/${channel}`))?.body ?? '{}');
  const posted = slackBody.parse(bodyOf('slack'));
  t.true(posted.text.startsWith('Acme: &lt;!channel&gt; Checkout ∗fails∗'));
  const shown = JSON.stringify(posted.blocks);
  for (const part of ['Investigating', 'We are looking into it, see here.', `/status/${page.slug}/incidents/`])
    t.true(shown.includes(part), part);
  t.notRegex(shown, /<!channel>|evil/);
  const [{ content }] = teamsBody.parse(bodyOf('teams')).attachments;
  t.true(content.body[0]?.text.startsWith('Acme\\: \\<\\!channel\\> Checkout \\*fails\\*'));
  t.like(content.actions, [{ type: 'Action.OpenUrl', title: 'View incident' }]);
  for (const { headers } of target.requests) t.is(headers['webhook-signature'], undefined);
});

test.serial(
  'deliveries to chats are listed by service, and wait in queues that an older version leaves alone',
  async t => {
    await using target = await startTarget(answer(200, 'ok'));
    const { api, page, incident, deliveriesUntil } = await openNotificationWorld(t, databaseOf());
    const path = `/v0/status-pages/${page.id}/subscribers`;
    const { body: added } = await api('POST', path, { channel: 'slack', url: `${target.url}slack` });
    const masked = `${new URL(target.url).origin}/***`;
    t.is(added.url, masked, 'who knows it can post there');
    await incident();
    const [row] = await deliveriesUntil(rows => rows[0]?.state === 'sent', '&channel=slack');
    t.like(row, { kind: 'incident_update', channel: 'slack', recipient_id: added.id, recipient: masked, attempts: 1 });
    t.deepEqual((await api('GET', '/v0/deliveries?channel=teams')).body.data, []);
    const stored = await withSql(
      databaseOf(),
      sql => sql.row<{ channel: string }>`select channel from deliveries where id = ${row?.id ?? ''}`,
    );
    t.is(stored?.channel, 'slack_webhook');
  },
);

test.serial('a chat that refuses five times in a row, or is gone, gets no more', async t => {
  await using target = await startTarget(answer(403, 'action_prohibited'));
  const { api, page, incident, update } = await openNotificationWorld(t, databaseOf());
  const path = `/v0/status-pages/${page.id}/subscribers`;
  const { body: refusing } = await api('POST', path, { channel: 'slack', url: `${target.url}slack` });
  const stateOf = async (id: string) => {
    const { data } = (await api('GET', path)).body as { data: { id: string; state: string; failures: number }[] };
    return data.find(subscriber => subscriber.id === id);
  };
  const id = await incident();
  for (const failures of [1, 2, 3, 4, 5]) {
    if (failures > 1) await update(id, `Update ${failures}.`);
    await until(
      () => stateOf(refusing.id),
      subscriber => subscriber?.failures === failures,
    );
  }
  t.is((await stateOf(refusing.id))?.state, 'quarantined');
  target.behaviour = answer(410, 'channel_is_archived');
  const { body: gone } = await api('POST', path, { channel: 'teams', url: `${target.url}teams` });
  await update(id, 'Once more.');
  await until(
    () => stateOf(gone.id),
    subscriber => subscriber?.state === 'quarantined',
  );
  t.pass();
});

test.serial('a chat needs a URL, and neither an email address nor a visitor adds one', async t => {
  const { api, visit, page } = await openNotificationWorld(t, databaseOf());
  const path = `/v0/status-pages/${page.id}/subscribers`;
  const refused = await api('POST', path, { channel: 'slack', email: 'ada@example.com' });
  t.deepEqual(
    refused.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
    [
      ['/url', 'required'],
      ['/email', 'not_allowed'],
    ],
  );
  const visited = await visit('POST', `/status/${page.slug}/subscribe`, { channel: 'slack', url: 'https://a.example' });
  t.not(visited.status, 202);
  t.deepEqual((await api('GET', path)).body.data, []);
});
