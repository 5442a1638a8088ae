import type { SignInSettings } from '#control-plane/access/oidc/settings.ts';
import { runAdmin } from '#control-plane/operations/admin/command.ts';
import type { AdminServices } from '#control-plane/operations/admin/services.ts';
import type { Pools } from '#control-plane/platform/db/pool.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { patientPools } from './patient-pools.ts';

const byPasskey: SignInSettings = { methods: ['passkey', 'token'], oidc: null, operators: [] };

type Changes = Partial<Pick<AdminServices, 'nowMs'> & AdminServices['config']>;

/** What the admin command works with, on pools that the test has. */
export function adminServices(pools: Pools, changes: Changes = {}): AdminServices {
  const { secretsKeys = [], publicUrl = null, smtpUrl = null, dataDir = null, signIn = byPasskey } = changes;
  return {
    config: { databaseUrl: pools.connectionString, secretsKeys, publicUrl, smtpUrl, signIn, dataDir },
    sql: sqlOf(pools.background),
    pool: pools.background,
    nowMs: Date.now(),
    progress: () => {},
    ...(changes.nowMs === undefined ? {} : { nowMs: changes.nowMs }),
  };
}

/** Runs one admin command on a database, with connections of its own. */
export async function admin(databaseUrl: string, args: readonly string[], changes: Changes = {}): Promise<unknown> {
  const pools = patientPools(databaseUrl, 'upquorum admin');
  try {
    return await runAdmin(args, adminServices(pools, changes));
  } finally {
    await pools.end();
  }
}
