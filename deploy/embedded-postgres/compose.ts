import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { copyBinaries, findPackage } from './binaries.ts';
import { runCommand } from './command.ts';
import { processIdentity } from './process-identity.ts';
import { addTimescale } from './timescale.ts';

/** The server trees that can be composed: with the Apache edition of TimescaleDB, or plain PostgreSQL. */
export type Composition = 'apache' | 'plain';

/** Returns the folder of a complete server under `composeDir`, composing it first if it does not exist. */
export async function composeServer(
  composeDir: string,
  composition: Composition,
  progress: (line: string) => void,
): Promise<string> {
  const { native, version } = await findPackage();
  const tree = join(composeDir, `${composition}-${version}`);
  if (await exists(tree)) return tree;
  await mkdir(composeDir, { recursive: true, mode: 0o755 });
  await removeAbandoned(composeDir);
  const draft = await mkdtemp(join(composeDir, `.composing-${process.pid}-`));
  try {
    progress(`preparing PostgreSQL ${version.split('-')[0]} (60 MB)…`);
    await copyBinaries(native, draft);
    if (composition === 'apache') await addTimescale(draft, progress);
    await runCommand('chmod', ['-R', 'a+rX', draft]);
    await publish(draft, tree);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return tree;
}

/** A tree is complete or absent; if another process published it first, that one is used. */
async function publish(draft: string, tree: string): Promise<void> {
  await rename(draft, tree).catch(async error => {
    if (!(await exists(tree))) throw error;
  });
}

async function removeAbandoned(composeDir: string): Promise<void> {
  for (const name of await readdir(composeDir)) {
    const pid = /^\.composing-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || (await processIdentity(Number(pid))) !== null) continue;
    await rm(join(composeDir, name), { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
