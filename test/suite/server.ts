import { join } from 'node:path';
import { startEmbedded } from '#control-plane/db/embedded/embedded.ts';
import { EmbeddedError } from '#control-plane/db/embedded/failure.ts';
import { stateFolder } from '#control-plane/db/embedded/state-folder.ts';
import type { Env } from '#shared/env.ts';
import type { Edition } from './arguments.ts';
import { createRole, type TestServer } from './template.ts';

/** A server for one run, stopped when it is disposed. */
export type OpenServer = TestServer & AsyncDisposable;

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Where composed binaries are kept between runs. */
export function composeFolder(env: Env): string {
  return env.TEST_COMPOSE_DIR ?? join(stateFolder(env), 'server');
}

/** Starts an edition's server in `scratch` or reaches it; a string says why that edition is skipped. */
export async function openServer(edition: Edition, scratch: string, env: Env): Promise<OpenServer | string> {
  if (edition === 'community') return openCommunity(env);
  const timescale = edition === 'apache' ? 'require' : 'off';
  const place = { dataDir: join(scratch, 'server'), composeDir: composeFolder(env) };
  try {
    const server = await startEmbedded({ ...place, timescale, progress: say, timescaleWorkers: 0 });
    return { ...server, [Symbol.asyncDispose]: () => server.stop() };
  } catch (error) {
    if (edition === 'apache' && env.REQUIRE_TIMESCALE !== '1' && error instanceof EmbeddedError) return error.message;
    throw error;
  }
}

async function openCommunity(env: Env): Promise<OpenServer | string> {
  const adminUrl = env.TEST_COMMUNITY_URL;
  if (!adminUrl) return 'TEST_COMMUNITY_URL is not set';
  return { adminUrl, url: await createRole(adminUrl), edition: 'community', async [Symbol.asyncDispose]() {} };
}
