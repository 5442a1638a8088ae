import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { connectionOptions } from '#control-plane/platform/db/pool.ts';
import { migrate } from '#control-plane/platform/db/schema/migrate.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { requireWorkerSession } from '#control-plane/platform/db/session.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { databaseUrl } from '#deploy/embedded-postgres/provision.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);

async function connect(t: ExecutionContext, connectionString: string, options = ''): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, options });
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

test('a connection that kept our settings is accepted', async t => {
  const options = connectionOptions({ worker: true, statementTimeoutMs: 1000 });
  await t.notThrowsAsync(requireWorkerSession(sqlOf(await connect(t, database(), options))));
});

for (const [what, options] of [
  ['the role', '-c timezone=UTC'],
  ['the time zone', '-c app.role=worker -c timezone=Asia/Tokyo'],
] as const)
  test(`a connection that lost ${what}, as behind a pooler, is refused with what to do`, async t => {
    const client = await connect(t, database(), options);
    await t.throwsAsync(requireWorkerSession(sqlOf(client)), { message: /PgBouncer.* directly to PostgreSQL$/ });
  });

test('a new database uses TimescaleDB where the server offers it, without its extension created before', async t => {
  const name = `new_${randomUUID().replaceAll('-', '')}`;
  const admin = await connect(t, process.env.TEST_DATABASE_ADMIN_URL ?? '');
  await admin.query(`create database ${name} owner upquorum`);
  t.teardown(() => admin.query(`drop database ${name} with (force)`).then(() => undefined));
  const options = {
    connectionString: databaseUrl(database(), name),
    log: () => {},
    advise: (line: string) => t.fail(line),
  };
  const { edition } = await migrate({ ...options, storage: 'auto' });
  t.is(edition, process.env.TEST_STORAGE as Edition);
  t.is((await migrate({ ...options, storage: 'auto' })).edition, edition);
});
