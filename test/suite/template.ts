import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { databaseUrl, installExtension } from '#control-plane/db/embedded/provision.ts';
import type { Edition } from './arguments.ts';

/** A server to test on: the superuser's URL, and the application's, whose database is replaced. */
export type TestServer = { adminUrl: string; url: string; edition: Edition };

/** Creates and migrates the database that each test file clones; returns its name and what removes it again. */
export async function createTemplate(server: TestServer): Promise<{ name: string; drop(): Promise<void> }> {
  const name = `template_${randomUUID().replaceAll('-', '')}`;
  await runAsAdmin(server.adminUrl, `create database ${name} owner upquorum`);
  if (server.edition !== 'plain') await installExtension(databaseUrl(server.adminUrl, name));
  await migrateTemplate(databaseUrl(server.url, name), server.edition);
  // A template with a session on it cannot be cloned: nobody may open one any more.
  await runAsAdmin(server.adminUrl, `alter database ${name} with allow_connections false`);
  return { name, drop: () => runAsAdmin(server.adminUrl, `drop database ${name} with (force)`) };
}

/** Gives the role of the application a password on a server that is not ours; made if missing. */
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
  const { migrate } = await import('#control-plane/db/migrate.ts');
  await migrate({ connectionString, storage, log: () => {} });
}

async function runAsAdmin(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
