import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAgentFolder } from './agent-folder.ts';
import { run } from './run.ts';

/** Debian's name of an architecture, and npm's. */
export const architectures = { amd64: 'x64', arm64: 'arm64' } as const;

/** An architecture by Debian's name. */
export type Architecture = keyof typeof architectures;

/**
 * Writes the agent into an empty folder with its packages, installed by npm from the lock file, and its Node as
 * `bin/node`; also for the other architecture than this machine's. Returns the agent's version.
 */
export async function installAgent(folder: string, architecture: Architecture): Promise<string> {
  const version = await writeAgentFolder(folder);
  const cpu = architectures[architecture];
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--os=linux', `--cpu=${cpu}`];
  await run(folder, 'npm', 'ci', '--omit=dev', ...flags);
  await mkdir(join(folder, 'bin'));
  await rename(join(folder, `node_modules/node-linux-${cpu}/bin/node`), join(folder, 'bin/node'));
  for (const needless of [`node_modules/node-linux-${cpu}`, 'node_modules/.bin', 'deploy'])
    await rm(join(folder, needless), { recursive: true, force: true });
  return version;
}
