import pg from 'pg';

/** The server's URL as superuser, the password of the application's role, and whether TimescaleDB is installed. */
export type ProvisionOptions = { adminUrl: string; password: string; timescale: boolean };

/** Creates the role, its database and the extension if missing. Idempotent, also after a kill at any point. */
export async function provision({ adminUrl, password, timescale }: ProvisionOptions): Promise<void> {
  await withClient(adminUrl, async client => {
    const role = await client.query("select from pg_roles where rolname = 'upquorum'");
    const verb = role.rowCount === 0 ? 'create' : 'alter';
    const rights = 'login nosuperuser nocreatedb nocreaterole';
    await client.query(`${verb} role upquorum ${rights} password ${client.escapeLiteral(password)}`);
    const database = await client.query("select from pg_database where datname = 'upquorum'");
    if (database.rowCount === 0) await client.query('create database upquorum owner upquorum');
  });
  if (timescale) await installExtension(databaseUrl(adminUrl, 'upquorum'));
}

/** Creates TimescaleDB in a database, or updates it to the installed library. */
export async function installExtension(url: string): Promise<void> {
  await withClient(url, client => client.query('create extension if not exists timescaledb'));
  // The update must be the first statement of its session, before the old library is loaded.
  await withClient(url, client => client.query('alter extension timescaledb update'));
}

/** The URL of another database on the same server, with the same login. */
export function databaseUrl(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** Whether a running server preloads TimescaleDB, which shows its edition. */
export async function preloadsTimescale(adminUrl: string): Promise<boolean> {
  return withClient(adminUrl, async client => {
    const { rows } = await client.query<{ libraries: string }>(
      "select current_setting('shared_preload_libraries') as libraries",
    );
    return rows[0]?.libraries.includes('timescaledb') ?? false;
  });
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // Without a handler, a lost connection would end this process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
