import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentLock, agentManifest, type LockFile, type RootManifest } from './manifest.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));

/** Everything of the repository that the agent consists of. */
const content = ['agent', 'shared', 'deploy/node', 'LICENSE'];

/** Writes the agent's package into an empty folder, without its dependencies, and returns its version. */
export async function writeAgentFolder(folder: string): Promise<string> {
  const root = await readJson<RootManifest>('package.json');
  const manifest = agentManifest(root);
  const lock = agentLock(await readJson<LockFile>('package-lock.json'), manifest);
  await mkdir(join(folder, 'deploy'), { recursive: true });
  for (const path of content) await cp(join(top, path), join(folder, path), { recursive: true });
  // Where people look first.
  await cp(join(top, 'agent/README.md'), join(folder, 'README.md'));
  await writeJson(join(folder, 'package.json'), manifest);
  await writeJson(join(folder, 'npm-shrinkwrap.json'), lock);
  return manifest.version;
}

async function readJson<Content>(path: string): Promise<Content> {
  return JSON.parse(await readFile(join(top, path), 'utf8')) as Content;
}

function writeJson(path: string, value: unknown): Promise<void> {
  return writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
