import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openAptArea } from './apt-area.ts';
import { runCommand } from './command.ts';
import { EmbeddedError } from './failure.ts';
import { hostGlibc, isAtLeast, requiredGlibc } from './glibc.ts';

const packageName = 'postgresql-17-timescaledb';
const slowMs = 10_000;

/** Adds Debian's TimescaleDB to the PostgreSQL tree in `tree`, and the newer C library it may need in `tree/glibc`. */
export async function addTimescale(tree: string, progress: (line: string) => void): Promise<void> {
  if (process.platform !== 'linux') throw new EmbeddedError('TimescaleDB can be downloaded on Debian only');
  // Checked first: without it the download would be useless.
  await runCommand('dpkg-deb', ['--version']);
  const area = join(tree, 'fetched');
  await mkdir(area, { recursive: true });
  progress("downloading TimescaleDB from this machine's Debian mirror (about 13 MB)…");
  const patience = setTimeout(
    () => progress('still waiting for the Debian mirror; without it, plain PostgreSQL is used'),
    slowMs,
  );
  try {
    await fetchInto(tree, area);
  } finally {
    clearTimeout(patience);
  }
  await rm(area, { recursive: true, force: true });
}

async function fetchInto(tree: string, area: string): Promise<void> {
  const apt = await openAptArea(area);
  const extension = await apt.download(packageName);
  await copyExtension(extension, tree, join(area, 'extension'));
  const needed = requiredGlibc(await runCommand('dpkg-deb', ['-f', extension, 'Depends']));
  if (needed !== null && !isAtLeast(hostGlibc() ?? '0', needed)) {
    await copyGlibc(await apt.download('libc6'), tree, join(area, 'libc6'));
  }
}

async function copyExtension(deb: string, tree: string, unpacked: string): Promise<void> {
  await runCommand('dpkg-deb', ['-x', deb, unpacked]);
  const libraries = join(unpacked, 'usr/lib/postgresql/17/lib');
  for (const file of await readdir(libraries)) {
    if (file.endsWith('.so')) await cp(join(libraries, file), join(tree, 'lib/postgresql', file));
  }
  const scripts = join(unpacked, 'usr/share/postgresql/17/extension');
  await cp(scripts, join(tree, 'share/postgresql/extension'), { recursive: true });
}

async function copyGlibc(deb: string, tree: string, unpacked: string): Promise<void> {
  await runCommand('dpkg-deb', ['-x', deb, unpacked]);
  const folders = await readdir(join(unpacked, 'usr/lib'));
  const triplet = folders.find(name => name.endsWith('-linux-gnu'));
  if (triplet === undefined) throw new EmbeddedError('the package libc6 has no library folder');
  await cp(join(unpacked, 'usr/lib', triplet), join(tree, 'glibc'), { recursive: true, verbatimSymlinks: true });
}
