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
  const enders: (() => Promise<void>)[] = [];
  clones.set(url, enders);
  return {
    url,
    drop: async () => {
      clones.delete(url);
      for (const end of enders) await end();
      if (costsAreAsked) noteCost({ sqlMs: await activeMs(adminUrl, name) });
      await runAsAdmin(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

/** What is ended before each database of this process that is still there. */
const clones = new Map<string, (() => Promise<void>)[]>();

/** Whether `url` leads to a database that this process made and drops. */
export function isClone(url: string): boolean {
  return clones.has(url);
}

/** Ends what tests share before their database is dropped. */
export function beforeDrop(url: string, end: () => Promise<void>): void {
  clones.get(url)?.push(end);
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

/** A process's few sessions as superuser: each clone would open three. They keep no process alive. */
const admins = new Map<string, pg.Pool>();

function runAsAdmin(adminUrl: string, statement: string): Promise<pg.QueryResult> {
  let pool = admins.get(adminUrl);
  if (pool === undefined) {
    pool = new pg.Pool({ connectionString: adminUrl, max: 8, allowExitOnIdle: true });
    // The server of a run may be gone before its processes are.
    pool.on('error', () => {});
    admins.set(adminUrl, pool);
  }
  return pool.query(statement);
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this file by "npm test -- --only-ava <file>"`);
  return value;
}
