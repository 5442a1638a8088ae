import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '#shared/error-code.ts';
import { EmbeddedError } from './failure.ts';

/** The state that a data folder keeps between starts. `edition` is null until the first start has succeeded, with
 * TimescaleDB unless it was not wanted, or something is stored. */
export type EmbeddedRecord = {
  port: number | null;
  edition: 'apache' | 'plain' | null;
  adminPassword: string;
  password: string;
};

/**
 * Reads the record of a data folder, or makes a new one with random passwords. Throws EmbeddedError if it is damaged.
 */
export async function readRecord(dataDir: string): Promise<EmbeddedRecord> {
  const path = join(dataDir, 'embedded.json');
  const text = await readFile(path, 'utf8').catch(error => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return { port: null, edition: null, adminPassword: randomPassword(), password: randomPassword() };
  try {
    return JSON.parse(text) as EmbeddedRecord;
  } catch (error) {
    throw new EmbeddedError(`${path} is damaged: restore it, or choose another DATA_DIR`, { cause: error });
  }
}

/** Writes the record atomically, readable by its owner only. */
export async function writeRecord(dataDir: string, record: EmbeddedRecord): Promise<void> {
  const path = join(dataDir, 'embedded.json');
  await writeFile(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

function randomPassword(): string {
  return randomBytes(24).toString('base64url');
}
