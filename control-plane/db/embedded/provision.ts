import pg from 'pg';

/** Where the server is reached as superuser, and what the application's role shall be. */
export type ProvisionOptions = { adminUrl: string; password: string; timescale: boolean };

/** Makes the role, its database and the extension where they are missing; safe to repeat after a kill at any point. */
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

/** Creates TimescaleDB in a database, or updates it to the library at hand. */
export async function installExtension(url: string): Promise<void> {
  await withClient(url, client => client.query('create extension if not exists timescaledb'));
  // The update must be the first statement of its session, before the old library is loaded.
  await withClient(url, client => client.query('alter extension timescaledb update'));
}

/** The same server and login, another database. */
export function databaseUrl(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** The data folder and the preloaded libraries of a running server, to tell ours from a stranger's. */
export async function describeServer(adminUrl: string): Promise<{ folder: string; timescale: boolean }> {
  return withClient(adminUrl, async client => {
    const { rows } = await client.query<{ folder: string; libraries: string }>(
      "select current_setting('data_directory') as folder, current_setting('shared_preload_libraries') as libraries",
    );
    return { folder: rows[0]?.folder ?? '', timescale: rows[0]?.libraries.includes('timescaledb') ?? false };
  });
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A server that goes away under an idle client must not end this process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
