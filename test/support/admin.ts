import { runAdmin } from '#control-plane/admin/command.ts';
import type { AdminServices } from '#control-plane/admin/services.ts';
import { createPools, type Pools } from '#control-plane/db/pool.ts';
import { sqlOf } from '#control-plane/db/sql.ts';
import { createLog } from '#shared/log.ts';

/** What the admin command works with, on pools that the test has. */
export function adminServices(pools: Pools, changes: Partial<AdminServices> = {}): AdminServices {
  return {
    sql: sqlOf(pools.background),
    pool: pools.background,
    databaseUrl: pools.connectionString,
    secretsKeys: [],
    nowMs: Date.now(),
    progress: () => {},
    ...changes,
  };
}

/** Runs one admin command on a database, with connections of its own. */
export async function admin(
  databaseUrl: string,
  args: readonly string[],
  changes: Partial<AdminServices> = {},
): Promise<unknown> {
  const pools = createPools(databaseUrl, createLog({ name: 'test', level: 'silent' }), 'upquorum admin');
  try {
    return await runAdmin(args, adminServices(pools, changes));
  } finally {
    await pools.end();
  }
}
