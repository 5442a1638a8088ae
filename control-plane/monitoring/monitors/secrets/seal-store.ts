import { fragment, type Sql } from '../../../platform/db/sql.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { MonitorRow } from '../row.ts';
import { openSecrets, sealSecrets } from './secrets.ts';

export type SealedRow = Pick<
  MonitorRow,
  | 'id'
  | 'sealed_headers'
  | 'sealed_body'
  | 'sealed_egress'
  | 'sealed_proxy'
  | 'sealed_auth'
  | 'sealed_oauth2'
  | 'sealed_step_auth'
>;

const columns = fragment`id, sealed_headers, sealed_body, sealed_egress, sealed_proxy, sealed_auth, sealed_oauth2,
  sealed_step_auth`;

/** Locks a page of the secrets of all monitors after `afterId`, in id order, including deleted monitors. */
export async function lockSealed(sql: Sql, afterId: string, limit: number): Promise<SealedRow[]> {
  return sql.rows<SealedRow>`
    select ${columns}
    from monitors
    where id > ${afterId}
    order by id
    limit ${limit}
    for update`;
}

/** Seals a monitor's secrets again. Agents are not notified: the clear values stay the same. */
export async function reseal(sql: Sql, keyring: Keyring, row: SealedRow): Promise<void> {
  const sealed = sealSecrets(row.id, openSecrets(row, keyring), keyring);
  await sql.run`
    update monitors
    set sealed_headers = ${sealed.headers},
      sealed_body = ${sealed.body},
      sealed_egress = ${sealed.egress},
      sealed_proxy = ${sealed.proxy},
      sealed_auth = ${sealed.auth},
      sealed_oauth2 = ${sealed.oauth2},
      sealed_step_auth = ${sealed.stepAuth}
    where id = ${row.id}`;
}
