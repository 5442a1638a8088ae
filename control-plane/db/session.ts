import type { Sql } from './sql.ts';

/**
 * Throws unless the server took the settings of a worker's connection. A pooler in front of it drops
 * them: row security would then hide every row, without an error.
 */
export async function requireWorkerSession(sql: Sql): Promise<void> {
  const session = await sql.row<{ role: string | null; zone: string }>`
    select current_setting('app.role', true) as role, current_setting('TimeZone') as zone`;
  if (session?.role === 'worker' && session.zone === 'UTC') return;
  throw new Error(
    'the database ignores the settings of our connections, as poolers such as PgBouncer do: ' +
      'connect DATABASE_URL directly to PostgreSQL',
  );
}
