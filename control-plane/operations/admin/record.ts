import type { Change, Origin } from '../../platform/audit/entry.ts';
import { createRecordChange } from '../../platform/audit/record.ts';
import { createSecretHash, type HashSecret } from '../../platform/audit/sealed.ts';
import { type Sql, sqlOf } from '../../platform/db/sql.ts';
import { createKeyring } from '../../platform/secrets/keyring.ts';
import { createPepper } from '../../platform/secrets/pepper-store.ts';
import type { AdminServices, Recording } from './services.ts';

const actor = { type: 'admin', id: 'operator', name: null } as const;

/** Records what a command changed, in the transaction that `sql` is of. */
export function recordingOf(sql: Sql, services: AdminServices): Recording {
  const hash = hashOf(services);
  const recordChange = createRecordChange(hash);
  return {
    record: async (projectId, change) => {
      const origin: Origin = { projectId, actor, via: 'admin', requestId: null, planId: null };
      await recordChange(sql, origin, change, services.nowMs);
    },
    hash,
  };
}

/** Without keys there is no pepper: then a secret is not even shown as a hash. */
function hashOf({ pool, config: { secretsKeys } }: AdminServices): HashSecret {
  if (secretsKeys.length === 0) return () => Promise.resolve('secret:unknown');
  return createSecretHash(createPepper(sqlOf(pool), createKeyring(secretsKeys)));
}

/** The entry of what a command made. */
export function madeEntry(action: Change['action'], subject: string, name: string | null, after: object): Change {
  return { action, subject, name, before: null, after: { ...after } };
}
