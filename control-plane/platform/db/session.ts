import type { Sql } from './sql.ts';

/**
 * Throws unless the server took the settings of a worker's connection. A pooler in front of it drops
 * them: row security would then hide every row, without an error.
 */
export async function requireWorkerSession(sql: Sql): Promise<void> {
  // Not prepared: a pooler may refuse that first, in words that help nobody.
  const [session] = await sql.once<{ role: string | null; zone: string }>`
    select current_setting('app.role', true) as role, current_setting('TimeZone') as zone`;
  if (session?.role === 'worker' && session.zone === 'UTC') return;
  throw new Error(
    'the database ignores the settings of our connections, as poolers such as PgBouncer do: ' +
      'connect DATABASE_URL directly to PostgreSQL',
  );
}

/** The name of a control plane's sessions at the server, which shows who is connected and with which version. */
export function sessionName(version: string, roles: readonly string[]): string {
  return `upquorum ${version} ${roles.join('+')}`;
}
