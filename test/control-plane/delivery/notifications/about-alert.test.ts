import test from 'ava';
import { listDeliveries } from '#control-plane/delivery/notifications/store.ts';
import { readEvidence } from '#control-plane/monitoring/alerts/explain/explanation-store.ts';
import { findAlert } from '#control-plane/monitoring/alerts/store.ts';
import { instant, type Sql } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const others = 50_000;

type Listed = { id: string; created_at: string };

function byAge(one: Listed, other: Listed): number {
  return `${one.created_at} ${one.id}` < `${other.created_at} ${other.id}` ? -1 : 1;
}

/** Deliveries of the project that are about nothing of ours, older and newer. */
async function insertOthers(sql: Sql, projectId: string, nowMs: number): Promise<void> {
  await sql.run`
    insert into deliveries (
      id, project_id, kind, channel, subject, recipient, thread, sequence, payload, state, due_at, created_at, ended_at
    )
    select 'dlv_other' || n, ${projectId}, 'webhook', 'webhook', 'event.stored ' || n, 'whk_1', 'x' || n, n, '{}',
      'sent', ${instant(nowMs)}::timestamptz,
      ${instant(nowMs)}::timestamptz + (n - ${others / 2}::integer) * interval '1 second',
      ${instant(nowMs)}::timestamptz
    from generate_series(1, ${others}::integer) as n`;
  await sql.run`analyze deliveries`;
}

test('deliveries about an alert are found by their indexes, however many others the project has', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const { api, made, monitor, channel, open, resolve, settled, projectId, replica, target, clock } = world;
  await made('/v0/webhooks', { url: `${target.url}hook`, kinds: ['alert.opened', 'alert.resolved'] });
  await made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids: [await channel('chat')] }] });
  const monitors = [await monitor('a'), await monitor('b')];
  const alerts = await open(monitors, { address: '192.0.2.7', severity: 'p1' });
  const [first] = alerts;
  await settled();
  await resolve(alerts);
  const list = async (query = '') =>
    (await api('GET', `/v0/alerts/${first?.id}/deliveries${query}`)).body.data as Listed[];
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  // Two of the webhook about this alert, and two of the channel about both.
  const all = await until(list, found => found.length === 4);
  // Ids are of when they were queued, which may be long after the fact that they are from.
  t.deepEqual(ids(all), ids(all.toSorted(byAge).toReversed()));
  t.deepEqual(ids(await list('?limit=3')), ids(all).slice(0, 3));
  await withSql(databaseOf(), sql => insertOthers(sql, projectId, clock.now()));
  t.deepEqual(ids(await list()), ids(all));
  const filter = { about: { alertId: first?.id ?? '' }, states: null, channels: null };
  const counter = async (sql: Sql) => {
    const row = await sql.row<{ count: number }>`
      select seq_tup_read + idx_tup_fetch as count
      from pg_stat_xact_user_tables
      where relname = 'deliveries'`;
    return row?.count ?? Number.POSITIVE_INFINITY;
  };
  const countRead = (work: (sql: Sql) => Promise<unknown>) =>
    transaction(replica.pools.background, async sql => {
      const before = await counter(sql);
      await work(sql);
      return (await counter(sql)) - before;
    });
  // More often than the server plans a prepared statement by its values.
  for (let turn = 0; turn < 8; turn++) {
    const listed = await countRead(async sql => {
      t.is((await listDeliveries(sql, projectId, filter, { limit: 50, after: null })).length, 4);
    });
    const explained = await countRead(async sql => {
      const alert = await findAlert(sql, projectId, first?.id ?? '');
      if (alert !== null) t.is((await readEvidence(sql, alert)).deliveries.length, 4);
    });
    t.true(listed < 100 && explained < 100, `${listed} and ${explained} rows were read`);
  }
});
