import { dayMs, hourMs, secondMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { OutboundError, type OutboundReader } from '../../platform/http/outbound.ts';
import { type Registries, readBootstrap } from './bootstrap.ts';
import { findBootstrap, noteFailedBootstrap, type StoredBootstrap, writeBootstrap } from './bootstrap-store.ts';
import { documentBytesMax, lookupTimeoutMs } from './client.ts';

const freshMs = dayMs;
const retryMs = hourMs;
/** Before the first file was read, all names wait for it. */
const firstRetryMs = 15 * secondMs;
/** A file with less than this share of the suffixes of before is not taken for a whole one. */
const leastShare = 0.5;

/** Pure: whether the file is to be fetched: once a day, after a failure once an hour, and when its address changes. */
export function isBootstrapDue(stored: StoredBootstrap | null, url: string, nowMs: number): boolean {
  if (stored === null || stored.url !== url) return true;
  const isFresh = stored.fetchedAt !== null && nowMs - stored.fetchedAt < freshMs;
  return !isFresh && nowMs - stored.triedAt >= (stored.fetchedAt === null ? firstRetryMs : retryMs);
}

/**
 * The servers of the registries, from a file that is fetched again when it is due. Empty if none was ever read.
 * `failed` hears why a file could not be read.
 */
export async function currentRegistries(
  { sql, reader, failed }: { sql: Sql; reader: OutboundReader; failed(reason: string): void },
  url: string,
  nowMs: number,
): Promise<Registries> {
  const stored = await findBootstrap(sql);
  if (stored !== null && !isBootstrapDue(stored, url, nowMs)) return stored.registries;
  const read = await fetchBootstrap(reader, url);
  const before = stored?.url === url ? stored.registries.size : 0;
  const isCut = typeof read !== 'string' && read.size < before * leastShare;
  const fetched = isCut ? `only ${read.size} suffixes, of ${before} before` : read;
  if (typeof fetched !== 'string') {
    await writeBootstrap(sql, url, fetched, nowMs);
    return fetched;
  }
  failed(fetched);
  await noteFailedBootstrap(sql, url, nowMs);
  return stored?.registries ?? new Map();
}

/** The file, or why there is none. */
async function fetchBootstrap(reader: OutboundReader, url: string): Promise<Registries | string> {
  const headers = { accept: 'application/json' };
  const query = { url, headers, bodyBytesMax: documentBytesMax, timeoutMs: lookupTimeoutMs };
  try {
    const { status, body } = await reader.get(query);
    if (status !== 200) return `status ${status}`;
    return readBootstrap(body) ?? 'not a bootstrap file of RDAP';
  } catch (error) {
    if (error instanceof OutboundError) return error.message;
    throw error;
  }
}
