import { randomUUID } from 'node:crypto';
import type { TestFn } from 'ava';
import pg from 'pg';
import { databaseUrl } from '#deploy/embedded-postgres/provision.ts';
import { errorCode } from '#shared/error-code.ts';
import { wait } from '#shared/wait.ts';
import { costsAreAsked, noteCost } from '../suite/costs.ts';

/** A database of one's own, migrated; `url` connects as the application's role, `drop` ends open sessions. */
export type TestDatabase = { url: string; drop(): Promise<void> };

const objectInUse = '55006';
const attemptsMax = 20;
const retryMs = 100;

/** Clones the migrated template of this run. */
export async function createDatabase(): Promise<TestDatabase> {
  const [adminUrl, template] = [variable('TEST_DATABASE_ADMIN_URL'), variable('TEST_DATABASE_TEMPLATE')];
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await clone(adminUrl, name, template);
  const url = databaseUrl(variable('TEST_DATABASE_URL'), name);
  return {
    url,
    drop: async () => {
      await enders.get(url)?.();
      if (costsAreAsked) noteCost({ sqlMs: await activeMs(adminUrl, name) });
      await runAsAdmin(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

const enders = new Map<string, () => Promise<void>>();

/** Ends what tests share before their database is dropped. */
export function beforeDrop(url: string, end: () => Promise<void>): void {
  enders.set(url, end);
}

/** Gives the test file one database, dropped after its last test; call the result inside tests for its URL. */
export function useDatabase<Context>(test: TestFn<Context>): () => string {
  let database: TestDatabase | null = null;
  test.before(async () => {
    database = await createDatabase();
  });
  test.after.always(() => database?.drop());
  return () => {
    if (database === null) throw new Error('the database is there only while tests run');
    return database.url;
  };
}

/** Clones may run side by side, but an autovacuum worker on the template makes one fail: it is tried again. */
async function clone(adminUrl: string, name: string, template: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Copied as files, not block by block through the log: it takes two thirds of the time, as nothing is synced.
      const options = `template ${template} owner upquorum strategy file_copy`;
      return void (await runAsAdmin(adminUrl, `create database ${name} ${options}`));
    } catch (error) {
      if (errorCode(error) !== objectInUse || attempt === attemptsMax) throw error;
      await wait(retryMs);
    }
  }
}

/** How long statements have run in a database. */
async function activeMs(adminUrl: string, name: string): Promise<number> {
  const result = await runAsAdmin(adminUrl, `select active_time from pg_stat_database where datname = '${name}'`);
  return Number(result.rows[0]?.active_time ?? 0);
}

async function runAsAdmin(adminUrl: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this file by "npm test -- --only-ava <file>"`);
  return value;
}
