import { instant, type Sql } from '../../platform/db/sql.ts';
import type { Registries } from './bootstrap.ts';

/** The stored file. `fetchedAt` is null, and `registries` empty, before the first one was read. */
export type StoredBootstrap = { url: string; fetchedAt: number | null; triedAt: number; registries: Registries };

/** Null before the first attempt to fetch it. */
export async function findBootstrap(sql: Sql): Promise<StoredBootstrap | null> {
  const row = await sql.row<{
    url: string;
    fetched_at: number | null;
    tried_at: number;
    registries: Record<string, string>;
  }>`
    select url, fetched_at, tried_at, registries
    from rdap_bootstrap`;
  if (row === null) return null;
  const registries = new Map(Object.entries(row.registries));
  return { url: row.url, fetchedAt: row.fetched_at, triedAt: row.tried_at, registries };
}

export async function writeBootstrap(sql: Sql, url: string, registries: Registries, nowMs: number): Promise<void> {
  await sql.run`
    insert into rdap_bootstrap (url, fetched_at, tried_at, registries)
    values (${url}, ${instant(nowMs)}, ${instant(nowMs)}, ${JSON.stringify(Object.fromEntries(registries))})
    on conflict (single) do update
    set url = excluded.url,
      fetched_at = excluded.fetched_at,
      tried_at = excluded.tried_at,
      registries = excluded.registries`;
}

/** The file of before stays in use. */
export async function noteFailedBootstrap(sql: Sql, url: string, nowMs: number): Promise<void> {
  await sql.run`
    insert into rdap_bootstrap (url, tried_at)
    values (${url}, ${instant(nowMs)})
    on conflict (single) do update
    set url = excluded.url,
      tried_at = excluded.tried_at`;
}
