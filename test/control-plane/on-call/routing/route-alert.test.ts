import test from 'ava';
import { acknowledge, resolveAlertOf } from '#control-plane/monitoring/alerts/state-store.ts';
import { insertAlert } from '#control-plane/monitoring/alerts/store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { appendFact } from '#control-plane/platform/facts/store.ts';
import { minuteMs } from '#shared/duration.ts';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

async function openCase(t: Parameters<typeof openAlertingWorld>[0]) {
  const world = await openAlertingWorld(t, databaseOf());
  const { made, projectId, clock, replica } = world;
  const chat = await world.channel('chat');
  await made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids: [chat] }] });
  const monitorId = await world.monitor('shop');
  const insert = async (sql: Sql, kind: 'down' | 'degraded') => {
    const reason = {
      summary: 'x',
      region: null,
      expected: null,
      actual: null,
      status_code: null,
      error_code: null,
    };
    const regions = { regionsFailing: [], regions: [], quorum: 1 };
    const at = { startedAt: clock.now(), openedAt: clock.now() };
    const about = { projectId, monitorId, kind, title: `shop is ${kind}`, severity: 'p2', labels: {}, rulesVersion: 1 };
    const id = await insertAlert(sql, { ...about, ...regions, ...at, reason }, clock.now());
    return id ?? t.fail('an alert is open already');
  };
  const opened = (sql: Sql, subject: string, more = {}) => {
    const payload = { monitor_id: monitorId, severity: 'p2', title: 'x', ...more };
    return appendFact(sql, { kind: 'alert.opened', projectId, subject, payload }, clock.now());
  };
  const change = <Result>(work: (sql: Sql) => Promise<Result>) => transaction(replica.pools.background, work);
  const groups = async () => (await world.api('GET', '/v0/alert-groups')).body.data;
  return { ...world, monitorId, insert, opened, change, groups };
}

test.serial(
  'a degraded alert that an outage supersedes ends with it for their group, and webhooks hear of one kind',
  async t => {
    const { change, insert, opened, groups, made, api, monitorId, clock, messages, resolve, settled } =
      await openCase(t);
    await made('/v0/webhooks', { url: 'http://127.0.0.1:9/', kinds: ['alert.opened'] });
    const degraded = await change(async sql => {
      const id = await insert(sql, 'degraded');
      await opened(sql, id);
      return id;
    });
    await until(
      () => messages('chat').length,
      count => count === 1,
    );
    const down = await change(async sql => {
      const id = await insert(sql, 'down');
      const ended = { kind: 'degraded', resolvedAt: clock.now(), lastSeenAt: null, supersededBy: id } as const;
      await resolveAlertOf(sql, monitorId, ended);
      await opened(sql, id);
      return id;
    });
    await settled();
    t.deepEqual((await groups())[0].alert_ids, [degraded, down]);
    await resolve([{ id: down, monitorId }]);
    await until(async () => (await groups())[0].state, 'resolved');
    const { data } = (await api('GET', '/v0/deliveries?channel=webhook')).body;
    t.deepEqual(
      data.map(({ subject }: { subject: string }) => subject.split(' ')[1]),
      [down],
    );
  },
);

test.serial('what was pending in a backup is held for channels, and what follows is not', async t => {
  const { change, insert, opened, api, messages, resolve, monitorId, settled } = await openCase(t);
  const id = await change(async sql => {
    const alert = await insert(sql, 'down');
    await opened(sql, alert, { restored: true });
    return alert;
  });
  const held = async () => (await api('GET', '/v0/deliveries?state=held')).body.data;
  await until(
    async () => (await held()).length,
    count => count === 1,
  );
  t.regex((await held())[0].error, /backup/);
  t.deepEqual(messages('chat'), []);
  await resolve([{ id, monitorId }]);
  await settled();
  await until(
    () =>
      messages('chat')
        .map(({ step }) => step)
        .join(),
    steps => steps === 'resolved',
  );
  t.pass();
});

test.serial('an alert that was acknowledged or resolved before it is sent takes no steps', async t => {
  const { change, insert, opened, groups, messages, resolve, monitorId, projectId, clock, pass, settled } =
    await openCase(t);
  const id = await change(async sql => {
    const alert = await insert(sql, 'down');
    await acknowledge(sql, projectId, alert, { type: 'token', id: 'tok_1', name: 'ada' }, clock.now());
    await opened(sql, alert);
    return alert;
  });
  await until(async () => (await groups()).length, 1);
  pass(minuteMs);
  await until(async () => (await groups())[0].state, 'acknowledged');
  await resolve([{ id, monitorId }]);
  await until(async () => (await groups())[0].state, 'cancelled');
  await change(async sql => {
    const late = await insert(sql, 'down');
    const ended = { kind: 'down', resolvedAt: clock.now(), lastSeenAt: null, supersededBy: null } as const;
    await resolveAlertOf(sql, monitorId, ended);
    await opened(sql, late);
  });
  await until(async () => (await groups()).length, 2);
  pass(minuteMs);
  await settled();
  await until(async () => (await groups())[0].state, 'cancelled');
  t.deepEqual(messages('chat'), []);
});
