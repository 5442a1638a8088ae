import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { databaseUrl, installExtension } from '#deploy/embedded-postgres/provision.ts';

/** A server's URL as superuser and as the application's role, and whether databases get TimescaleDB's extension. */
export type DatabaseServer = { adminUrl: string; url: string; edition: string };

/** An empty database of the application's role, on the server of this run of the suite or on another one. */
export async function newDatabase(server = serverOfRun()): Promise<AsyncDisposable & { url: string }> {
  const { adminUrl, url, edition } = server;
  const name = `new_${randomUUID().replaceAll('-', '')}`;
  await runAsAdmin(adminUrl, `create database ${name} owner upquorum`);
  if (edition !== 'plain') await installExtension(databaseUrl(adminUrl, name));
  return {
    url: databaseUrl(url, name),
    [Symbol.asyncDispose]: () => runAsAdmin(adminUrl, `drop database if exists ${name} with (force)`),
  };
}

function serverOfRun(): DatabaseServer {
  const {
    TEST_DATABASE_ADMIN_URL: adminUrl = '',
    TEST_DATABASE_URL: url = '',
    TEST_STORAGE: edition = '',
  } = process.env;
  return { adminUrl, url, edition };
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
