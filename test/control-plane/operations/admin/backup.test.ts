import { stat } from 'node:fs/promises';
import test from 'ava';
import { migrate, migrateLocked } from '#control-plane/platform/db/schema/migrate.ts';
import { migrationNames } from '#control-plane/platform/db/schema/migration-files.ts';
import { withSchemaLock } from '#control-plane/platform/db/schema/schema-lock.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { dayMs } from '#shared/duration.ts';
import { admin } from '#test/support/admin.ts';
import { newBackupFile } from '#test/support/backup-file.ts';
import { apiOf, startReplica, testSecretKey, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { newDatabase } from '#test/support/new-database.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { readTables, type Tables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);
const keys = { secretsKeys: [testSecretKey] };
const address = 'visitor@example.com';

/** Results of three weeks ago, whose spans a new database does not have. */
async function putOldResults(databaseUrl: string, monitorId: string): Promise<void> {
  const pools = patientPools(databaseUrl);
  const sql = sqlOf(pools.background);
  const stored = await sql.row<{ edition: 'plain' }>`select edition from storage_edition`;
  const series = await openSeries(pools.background, sql, stored?.edition ?? 'plain');
  const at = new Date(Date.now() - 21 * dayMs).toISOString();
  // The last ones may be of the next day.
  await series.ensure('check_results', [Date.parse(at), Date.parse(at) + 500_000]);
  await sql.run`
    insert into check_results (
      monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version, started_at, completed_at,
      received_at, detail
    )
    select ${monitorId}, ${at}::timestamptz + n * interval '1 s', 'r', 'scheduled', 1, 'ok',
      'a\tb\n\\N', 1, ${at},
      ${at}, ${at},
      '{"note": "tab\\t, new line\\n and \\\\ backslash"}'
    from generate_series(1, 500) n`;
  await pools.end();
}

/** Tables of which every row must be the same in a copy, without what a restore sets anew. */
function comparable(tables: Tables): Tables {
  const own = [
    'leases',
    'schema_migrations',
    'sending_hold',
    'rate_buckets',
    'ingest_buckets',
    'delivery_queues',
    'email_relay',
  ];
  const named = Object.entries(tables).filter(([name]) => !own.includes(name) && !/^\w+_\d{8}$/.test(name));
  const anew = /"(changed_xid|online|session_id)": [^,}]+/g;
  // A copy also has the entry of its restore.
  const common = (row: string) => !row.includes('"action": "installation.restored"');
  return Object.fromEntries(named.map(([name, rows]) => [name, rows.filter(common).map(row => row.replace(anew, ''))]));
}

test.serial(
  'a backup under load is of one moment; its copy is equal, and sends nothing until it is resumed',
  async t => {
    await using mailbox = await startMailbox();
    const settings = { smtpUrl: mailbox.url };
    const world = await openNotificationWorld(t, databaseOf(), settings);
    await world.subscriber(address);
    await world.api('PATCH', `/v0/monitors/${world.monitor.id}`, { headers: { 'x-key': 'swordfish' } });
    await putOldResults(databaseOf(), world.monitor.id);
    const incident = await world.incident();
    await until(() => mailbox.to(address).length, 1);

    const abort = new AbortController();
    t.teardown(() => abort.abort());
    const post = async () => {
      for (let n = 0; !abort.signal.aborted; n++)
        await world.api('POST', '/v0/events', [{ name: `event ${n}` }, { name: 'second' }]);
    };
    const posting = [post(), post()];
    const underLoad = await newBackupFile(t);
    t.like(await admin(databaseOf(), ['backup', underLoad], keys), { file: underLoad });
    abort.abort();
    await Promise.all(posting);
    t.is((await stat(underLoad)).mode & 0o777, 0o600);
    await using first = await newDatabase();
    await admin(first.url, ['restore', underLoad], keys);
    const events = await withSql(first.url, sql => sql.rows<{ count: number }>`select count(*) as count from events`);
    t.is((events[0]?.count ?? 1) % 2, 0, 'both events of a request are there, or none');

    await world.factsDispatched();
    await world.replica.stop();
    const quiet = await newBackupFile(t);
    await admin(databaseOf(), ['backup', quiet], keys);
    await using second = await newDatabase();
    await admin(second.url, ['restore', quiet], keys);
    t.deepEqual(comparable(await readTables(second.url)), comparable(await readTables(databaseOf())));

    const copy = await startReplica(second.url, settings);
    t.teardown(() => copy.stop());
    const api = apiOf(copy.url, world.token);
    t.is((await api('GET', `/v0/monitors/${world.monitor.id}`)).body.headers['x-key'], 'swordfish');
    t.is((await apiOf(copy.url, '')('GET', `/status/${world.page.slug}`)).status, 200);
    const readiness = (await apiOf(copy.url, '')('GET', '/readyz')).body;
    t.regex(readiness.sending.paused_at, /^20.*Z$/);
    await api('POST', `/v0/incidents/${incident}/updates`, { state: 'identified', body: 'of the copy' });
    const show = () => admin(second.url, ['sending', 'show']) as Promise<{ sending: boolean; queued: number }>;
    t.false((await until(show, ({ queued }) => queued === 1)).sending);
    await until(async () => (await api('GET', '/v0/deliveries?state=queued')).body.data.length, 1);
    t.is(mailbox.emails.length, 1);
    await admin(second.url, ['sending', 'resume']);
    await until(() => mailbox.to(address).length, 2);
    t.regex(mailbox.to(address)[1]?.text ?? '', /of the copy/);
    await t.throwsAsync(admin(second.url, ['sending', 'resume']), { message: 'Sending is not paused.' });
  },
);

test.serial('what was queued at the backup is held in the copy', async t => {
  await using opened = new AsyncDisposableStack();
  const source = opened.use(await newDatabase());
  await migrate({ connectionString: source.url, storage: 'auto', log: () => {} });
  const world = await openNotificationWorld(t, source.url, { smtpUrl: 'smtp://127.0.0.1:9' });
  opened.defer(() => world.replica.stop());
  await admin(source.url, ['sending', 'pause', '--reason', 'a test']);
  await world.subscriber(address);
  await world.incident();
  await world.deliveriesUntil(deliveries => deliveries.some(({ state }) => state === 'queued'));
  const file = await newBackupFile(t);
  await admin(source.url, ['backup', file], keys);
  await using copy = await newDatabase();
  await admin(copy.url, ['restore', file], keys);
  t.like(await admin(copy.url, ['sending', 'show']), { sending: false, queued: 0, held: 1 });
});

test.serial('a database whose restore did not finish starts nothing, and can be restored again', async t => {
  const file = await newBackupFile(t);
  await admin(databaseOf(), ['backup', file], keys);
  await using target = await newDatabase();
  await admin(target.url, ['restore', file], keys);
  await withSql(target.url, sql => sql.run`create table unfinished_restore (since timestamptz)`);
  const start = () => migrate({ connectionString: target.url, storage: 'auto', log: () => {} });
  await t.throwsAsync(start(), { message: /^a restore into this database did not finish: / });
  await admin(target.url, ['restore', file, '--replace'], keys);
  t.is((await start()).applied, 0);
});

test.serial('a backup taken before an upgrade is restored and migrated, and its copy sends nothing', async t => {
  await using old = await newDatabase();
  const before = (await migrationNames()).filter(name => name < '0055');
  const step = { only: new Set(before), restoring: false };
  await withSchemaLock(old.url, client => migrateLocked(client, { storage: 'auto', log: () => {} }, step));
  await withSql(old.url, sql => sql.run`insert into regions (code, name, created_at) values ('r', 'R', now())`);
  const file = await newBackupFile(t);
  await admin(old.url, ['backup', file], keys);
  await using copy = await newDatabase();
  await admin(copy.url, ['restore', file], keys);
  t.like(await admin(copy.url, ['sending', 'show']), { sending: false });
  t.is((await withSql(copy.url, sql => sql.rows`select code from regions`)).length, 1);
  t.is((await migrate({ connectionString: copy.url, storage: 'auto', log: () => {} })).applied, 0);
});

test.serial('what a fact that was pending at the backup brings about is held in the copy', async t => {
  await using source = await newDatabase();
  await migrate({ connectionString: source.url, storage: 'auto', log: () => {} });
  const world = await openNotificationWorld(t, source.url, { smtpUrl: 'smtp://127.0.0.1:9' });
  await admin(source.url, ['sending', 'pause', '--reason', 'a test']);
  await world.subscriber(address);
  const incident = await world.incident();
  await world.deliveriesUntil(deliveries => deliveries.some(({ state }) => state === 'queued'));
  await world.replica.stop();
  await withSql(source.url, async sql => {
    await sql.run`delete from deliveries`;
    await sql.run`update facts set done_at = null`;
  });
  const file = await newBackupFile(t);
  await admin(source.url, ['backup', file], keys);
  await using copy = await newDatabase();
  await admin(copy.url, ['restore', file], keys);
  const replica = await startReplica(copy.url, { smtpUrl: 'smtp://127.0.0.1:9' });
  try {
    const show = () => admin(copy.url, ['sending', 'show']) as Promise<{ queued: number; held: number }>;
    t.like(await until(show, ({ queued, held }) => queued + held === 1), { queued: 0, held: 1 });
    const api = apiOf(replica.url, world.token);
    await api('POST', `/v0/incidents/${incident}/updates`, { state: 'identified', body: 'of the copy' });
    t.like(await until(show, ({ queued }) => queued > 0), { queued: 1, held: 1 });
  } finally {
    await replica.stop();
  }
});
