import type { Logger } from '#shared/log.ts';
import type { Confirmation } from '#shared/vocabulary.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { packConfirmations } from './check-now.ts';
import { notifyCheckNow } from './store.ts';

/** Asks agents of these regions, on every replica, to check at once: a check like those of the schedule. */
export function requestCheck(
  sql: Sql,
  check: { monitorId: string; projectId: string; configVersion: number; regions: readonly string[]; at: number },
): Promise<void> {
  return notifyCheckNow(sql, packConfirmations([{ ...check, exceptRegion: '', kind: 'scheduled' }]));
}

/** Asks agents of other regions, on every replica, to check at once. If that fails they check at their next slot. */
export async function sendConfirmations(sql: Sql, confirmations: readonly Confirmation[], log: Logger): Promise<void> {
  if (confirmations.length === 0) return;
  await notifyCheckNow(sql, packConfirmations(confirmations)).catch(error =>
    log.warn({ err: error }, 'could not ask other regions to confirm: they will check at their next slot'),
  );
}
