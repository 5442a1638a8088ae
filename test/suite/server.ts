import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterFolder } from '#deploy/embedded-postgres/cluster.ts';
import { startEmbedded } from '#deploy/embedded-postgres/embedded.ts';
import { EmbeddedError } from '#deploy/embedded-postgres/failure.ts';
import { hostRules } from '#deploy/embedded-postgres/settings.ts';
import type { Env } from '#shared/env.ts';
import { stateFolder } from '#shared/state-folder.ts';
import type { Edition } from './arguments.ts';
import { createRole, createTemplate, runAsAdmin, type TestServer } from './template.ts';

/** A server for one run. Disposing stops it. */
type OpenServer = TestServer & AsyncDisposable;

/** A server with a migrated database, and the variables by which tests find it. */
export type OpenEdition = AsyncDisposable & { variables: Env };

/** To exchange proofs takes a third of the time of a connection, and protects nothing within one machine. */
const plainRules = hostRules.replaceAll('scram-sha-256', 'password');

const say = (line: string) => process.stdout.write(`${line}\n`);

/** The folder where composed binaries are cached between runs. */
export function composeFolder(env: Env): string {
  return env.TEST_COMPOSE_DIR ?? join(stateFolder(env), 'server');
}

/**
 * Starts a server of an edition in `scratch`, or connects to a running one, and migrates a database there. A string
 * says why the edition is skipped.
 */
export async function openEdition(edition: Edition, scratch: string, env: Env): Promise<OpenEdition | string> {
  const server = await openServer(edition, scratch, env);
  if (typeof server === 'string') return server;
  const template = await createTemplate(server);
  const variables = {
    TEST_STORAGE: edition,
    TEST_DATABASE_ADMIN_URL: server.adminUrl,
    TEST_DATABASE_URL: server.url,
    TEST_DATABASE_TEMPLATE: template.name,
  };
  const close = () => template.drop().finally(() => server[Symbol.asyncDispose]());
  return { variables, [Symbol.asyncDispose]: close };
}

async function openServer(edition: Edition, scratch: string, env: Env): Promise<OpenServer | string> {
  if (edition === 'community') return openCommunity(env);
  const timescale = edition === 'apache' ? 'require' : 'off';
  const folders = { dataDir: scratch, composeDir: composeFolder(env) };
  try {
    const server = await startEmbedded({ ...folders, timescale, progress: say, timescaleWorkers: 0 });
    // Nothing of it outlives this run: neither clones of the template nor their removal wait for the disk.
    for (const setting of ["fsync = 'off'", "full_page_writes = 'off'", "max_wal_size = '512MB'"])
      await runAsAdmin(server.adminUrl, `alter system set ${setting}`);
    await hashPasswordsOnce(server);
    await writeFile(join(clusterFolder(scratch), 'pg_hba.conf'), plainRules);
    await runAsAdmin(server.adminUrl, 'select pg_reload_conf()');
    return { ...server, [Symbol.asyncDispose]: () => server.stop() };
  } catch (error) {
    if (edition === 'apache' && env.REQUIRE_TIMESCALE !== '1' && error instanceof EmbeddedError) return error.message;
    throw error;
  }
}

/** With 4096 rounds of hashing on both sides a test's many connections would take longer to open than to use. */
async function hashPasswordsOnce({ adminUrl, url }: { adminUrl: string; url: string }): Promise<void> {
  for (const { username, password } of [new URL(url), new URL(adminUrl)]) {
    const statement = `alter role ${username} password '${decodeURIComponent(password)}'`;
    await runAsAdmin(adminUrl, `set scram_iterations = 1; ${statement}`);
  }
}

async function openCommunity(env: Env): Promise<OpenServer | string> {
  const adminUrl = env.TEST_DATABASE_URL;
  if (!adminUrl) return 'TEST_DATABASE_URL is not set';
  return { adminUrl, url: await createRole(adminUrl), edition: 'community', async [Symbol.asyncDispose]() {} };
}
