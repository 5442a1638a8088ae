import { randomBytes, randomUUID } from 'node:crypto';
import test from 'ava';
import { startControlPlane } from '#control-plane/control-plane.ts';
import { signWebhook } from '#control-plane/delivery/transports/webhook/webhook.ts';
import { runAdmin } from '#control-plane/operations/admin/command.ts';
import { createLog } from '#shared/log.ts';
import { adminServices } from '#test/support/admin.ts';
import { apiOf, configFor, testSecretKey, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';
import { readTables } from '#test/support/tables.ts';
import { answer, startTarget } from '#test/support/target.ts';

const databaseOf = useDatabase(test);
const smtpPassword = `smtp-${randomUUID()}`;

test.serial(
  'no table, log, error or reader’s answer contains an address, a password, a token or a secret in clear',
  async t => {
    await using mailbox = await startMailbox({ user: 'upquorum', password: smtpPassword });
    await using target = await startTarget(answer(500));
    const lines: string[] = [];
    const config = configFor(databaseOf(), {
      smtpUrl: mailbox.url,
      slackApiUrl: `${target.url}api`,
      logLevel: 'trace',
    });
    const log = createLog({ name: 'test', level: 'trace', destination: { write: (line: string) => lines.push(line) } });
    const replica = await startControlPlane(config, log);
    t.teardown(() => replica.stop());
    const world = await openNotificationWorld(t, databaseOf(), {
      smtpUrl: mailbox.url,
      slackApiUrl: `${target.url}api`,
    });
    await world.replica.stop();
    const api = apiOf(replica.url, world.token);
    const path = `/v0/status-pages/${world.page.id}/subscribers`;
    const local = `person-${randomUUID()}`;
    const key = `key-${randomUUID()}`;
    const slackToken = `xoxb-${randomUUID()}`;
    const keyed = { 'idempotency-key': randomUUID() };
    await api('POST', path, { email: `${local}@example.com`, consent: 'x' });
    mailbox.refuse = to => ({ code: 550, text: `no ${to}` });
    const subscriber = (await api('POST', path, { channel: 'webhook', url: `${target.url}${key}` }, keyed)).body;
    const webhook = (await api('POST', '/v0/webhooks', { url: `${target.url}hook/${key}` })).body;
    await api('PUT', '/v0/slack', { bot_token: slackToken });
    await api('PATCH', `/v0/monitors/${world.monitor.id}`, { alert_policy: { slack_channel: '#ops' } });
    const alertId = await world.alert();
    await world.alertFact('alert.opened', alertId);
    await api('POST', '/v0/incidents', {
      title: 'x',
      severity: 'p1',
      status_page_id: world.page.id,
      initial_update: { state: 'investigating', body: 'x' },
    });
    type Row = { state: string; error: string | null };
    const tried = await until(
      async () => (await api('GET', '/v0/deliveries')).body.data as Row[],
      // One waits for an earlier delivery of its thread.
      rows => rows.filter(row => row.error !== null).length === 5,
    );
    t.true(tried.some(row => row.state === 'failed'));
    const secrets = [local, key, slackToken, smtpPassword, subscriber.secret.slice(6), webhook.secret.slice(6)];
    const everything = Object.values(await readTables(databaseOf()))
      .flat()
      .join('\n');
    t.true(everything.includes(subscriber.id) && lines.length > 10, 'the dump and the log are not empty');
    const token = (await api('POST', '/v0/tokens', { name: 'r', scopes: ['incidents:read', 'project:read'] })).body
      .token;
    const reader = apiOf(replica.url, token);
    const answers = [];
    for (const path of ['/v0/deliveries', '/v0/webhooks', '/v0/slack', '/v0/incidents'])
      answers.push(await reader('GET', path));
    for (const secret of secrets)
      for (const encoded of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64').slice(0, 30),
      ]) {
        t.false(everything.includes(encoded), `${secret} in a table`);
        t.false(lines.join('\n').includes(encoded), `${secret} in the log`);
        t.false(JSON.stringify(answers).includes(encoded), `${secret} in an answer`);
      }
  },
);

test.serial('after resealing, everything opens with the new key alone, and addresses are still found', async t => {
  await using target = await startTarget();
  const world = await openNotificationWorld(t, databaseOf(), {});
  await world.subscriber('rotated@example.com');
  await world.webhookSubscriber(target.url);
  const created = (await world.api('POST', '/v0/webhooks', { url: `${target.url}x`, kinds: ['incident.opened'] })).body;
  const { id } = created;
  const rotated = (await world.api('POST', `/v0/webhooks/${id}/rotate-secret`, {})).body;
  await world.api('PUT', '/v0/slack', { bot_token: 'xoxb-0123456789' });
  await world.replica.stop();
  const newKey = randomBytes(32).toString('base64');
  const both = await startControlPlane(
    configFor(databaseOf(), { secretsKeys: [newKey, testSecretKey] }),
    createLog({ name: 'test', level: 'silent' }),
  );
  const services = adminServices(both.pools, { secretsKeys: [newKey, testSecretKey] });
  const resealed = (await runAdmin(['secrets', 'reseal'], services)) as Record<string, number>;
  t.true(
    ['subscribers', 'webhooks', 'slack'].every(name => (resealed[name] ?? 0) > 0),
    JSON.stringify(resealed),
  );
  await both.stop();
  const replica = await startControlPlane(
    configFor(databaseOf(), { secretsKeys: [newKey] }),
    createLog({ name: 'test', level: 'silent' }),
  );
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, world.token);
  t.is((await api('GET', `/v0/webhooks/${id}`)).body.url, `${target.url}x`);
  const path = `/v0/status-pages/${world.page.id}/subscribers`;
  t.is((await api('POST', path, { email: 'rotated@example.com', consent: 'x' })).status, 200, 'the address is found');
  await api('POST', '/v0/incidents', {
    title: 'x',
    severity: 'p1',
    status_page_id: world.page.id,
    initial_update: { state: 'investigating', body: 'x' },
  });
  await target.requested(2);
  const { headers, body } = await until(
    () => target.requests.find(({ url }) => url === '/x'),
    request => request !== undefined,
  ).then(request => request ?? t.fail('no request'));
  const signed = [String(headers['webhook-id']), Number(headers['webhook-timestamp']), body] as const;
  t.deepEqual(
    String(headers['webhook-signature']).split(' '),
    [rotated.secret, created.secret].map(secret => signWebhook(secret, ...signed)),
    'the secret before the rotation, too',
  );
});
