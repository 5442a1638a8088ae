import type pg from 'pg';

/** Where series are kept: native partitions, or hypertables of one of the two TimescaleDB editions. */
export type Edition = 'plain' | 'apache' | 'community';

/** What the server can do. Run on a connection of its own: asking for a library that is not preloaded ends it. */
export async function detectEdition(client: pg.Client): Promise<Edition> {
  const { rows } = await client.query("select 1 from pg_extension where extname = 'timescaledb'");
  if (rows.length === 0) return 'plain';
  const license = await client.query<{ license: string | null }>(
    "select current_setting('timescaledb.license', true) as license",
  );
  return license.rows[0]?.license === 'timescale' ? 'community' : 'apache';
}

/** The edition to use, or an error that says why it cannot be had. An upgrade from apache to community is welcome. */
export function chooseEdition(wanted: 'auto' | Edition, found: Edition, recorded: Edition | null): Edition {
  const offers: Record<Edition, readonly Edition[]> = {
    plain: ['plain'],
    apache: ['apache', 'plain'],
    community: ['community', 'apache', 'plain'],
  };
  if (wanted !== 'auto' && !offers[found].includes(wanted))
    throw new Error(`STORAGE=${wanted} was asked for, but the server offers ${found}`);
  const chosen = wanted === 'auto' ? (recorded === 'plain' ? 'plain' : found) : wanted;
  if (recorded === null || recorded === chosen || (recorded === 'apache' && chosen === 'community')) return chosen;
  throw new Error(`this database was set up as ${recorded} and cannot be used as ${chosen}`);
}
