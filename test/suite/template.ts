import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { databaseUrl, installExtension } from '#deploy/embedded-postgres/provision.ts';
import { dayMs } from '#shared/duration.ts';
import type { Edition } from './arguments.ts';

/** A server for tests: the superuser's URL, and the application's, whose database is replaced for each test file. */
export type TestServer = { adminUrl: string; url: string; edition: Edition };

/** Creates and migrates the database that each test file clones. Returns its name and a function that drops it. */
export async function createTemplate(server: TestServer): Promise<{ name: string; drop(): Promise<void> }> {
  const name = `template_${randomUUID().replaceAll('-', '')}`;
  await runAsAdmin(server.adminUrl, `create database ${name} owner upquorum`);
  if (server.edition !== 'plain') await installExtension(databaseUrl(server.adminUrl, name));
  await migrateTemplate(databaseUrl(server.url, name), server.edition);
  // A session stores what it read of the catalog, for later ones: clones copy that file as well.
  await runAsAdmin(databaseUrl(server.adminUrl, name), 'select 1');
  // A template with open sessions cannot be cloned.
  await runAsAdmin(server.adminUrl, `alter database ${name} with allow_connections false`);
  // Such as the one of TimescaleDB's scheduler, which cannot come back now.
  await runAsAdmin(server.adminUrl, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  return { name, drop: () => runAsAdmin(server.adminUrl, `drop database ${name} with (force)`) };
}

/** Gives the application's role a new password on an external server, creating the role if missing. Returns its URL. */
export async function createRole(adminUrl: string): Promise<string> {
  const password = randomUUID();
  await runAsAdmin(
    adminUrl,
    `do $$ begin create role upquorum login; exception when duplicate_object then null; end $$;
     alter role upquorum login password '${password}'`,
  );
  const url = new URL(adminUrl);
  url.username = 'upquorum';
  url.password = password;
  return url.href;
}

async function migrateTemplate(connectionString: string, storage: Edition): Promise<void> {
  const { migrate } = await import('#control-plane/platform/db/schema/migrate.ts');
  await migrate({ connectionString, storage, log: () => {} });
  await ensureDayBefore(connectionString, storage);
}

/** A migrated database has partitions from today on; tests also store rows of an hour ago, shortly after midnight. */
async function ensureDayBefore(connectionString: string, storage: Edition): Promise<void> {
  const { openSeries } = await import('#control-plane/platform/db/series/series.ts');
  const { sqlOf } = await import('#control-plane/platform/db/sql.ts');
  const pool = new pg.Pool({ connectionString, max: 2 });
  // `end` does not wait for its connections, of which a late one is terminated with the other sessions.
  pool.on('error', () => undefined);
  try {
    const series = await openSeries(pool, sqlOf(pool), storage);
    await series.ensureAhead(Date.now() - dayMs);
  } finally {
    await pool.end();
  }
}

/** Runs a statement as the superuser. */
export async function runAsAdmin(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
