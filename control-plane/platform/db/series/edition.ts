import type pg from 'pg';
import { errorMessage } from '#shared/error-message.ts';

/** How series are stored: in native partitions, or in hypertables of one of the two TimescaleDB editions. */
export type Edition = 'plain' | 'apache' | 'community';

/**
 * Detects the best edition of a server. Needs its own connection: asking for a library that is not preloaded closes it.
 */
export async function detectEdition(client: pg.Client): Promise<Edition> {
  const { rows } = await client.query("select 1 from pg_extension where extname = 'timescaledb'");
  if (rows.length === 0) return 'plain';
  const license = await client.query<{ license: string | null }>(
    "select current_setting('timescaledb.license', true) as license",
  );
  return license.rows[0]?.license === 'timescale' ? 'community' : 'apache';
}

/**
 * Creates TimescaleDB's extension in a database that has none and is not in use yet, where the server offers it and it
 * is wanted. If the role may not, `log` says what to run. True if it was tried: that may have ended the connection, as
 * it does where the extension's library is not preloaded.
 */
export async function createExtension(
  client: pg.Client,
  wanted: 'auto' | Edition,
  log: (line: string) => void,
): Promise<boolean> {
  if (wanted === 'plain' || !(await lacksExtension(client))) return false;
  await client.query('create extension if not exists timescaledb').catch(error => {
    log(
      `TimescaleDB is installed on this server but not used (${errorMessage(error)}): to use it, ` +
        'run "create extension timescaledb" in the empty database as a superuser before the first start',
    );
  });
  return true;
}

async function lacksExtension(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ lacks: boolean }>(
    `select to_regclass('storage_edition') is null
       and exists (select from pg_available_extensions where name = 'timescaledb' and installed_version is null)
       as lacks`,
  );
  return rows[0]?.lacks === true;
}

/**
 * Chooses the edition to use. Throws if the server does not offer the wanted one, or if the database was created with
 * another one; only an upgrade from apache to community is possible. A database created plain stays plain.
 */
export function chooseEdition(wanted: 'auto' | Edition, found: Edition, recorded: Edition | null): Edition {
  const offers: Record<Edition, readonly Edition[]> = {
    plain: ['plain'],
    apache: ['apache', 'plain'],
    community: ['community', 'apache', 'plain'],
  };
  if (wanted !== 'auto' && !offers[found].includes(wanted))
    throw new Error(`STORAGE=${wanted} is not available: this server offers ${found}`);
  const chosen = wanted === 'auto' ? (recorded === 'plain' ? 'plain' : found) : wanted;
  if (recorded === null || recorded === chosen || (recorded === 'apache' && chosen === 'community')) return chosen;
  throw new Error(`this database was created with STORAGE=${recorded} and cannot be used with STORAGE=${chosen}`);
}
