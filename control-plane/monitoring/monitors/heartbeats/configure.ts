import { isUniqueViolation } from '../../../platform/db/errors.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { StoredMonitor } from '../row.ts';
import { deadlineOf, dueOf, noBeat, retimed } from './beat.ts';
import { hashAddress, newSecret } from './secret.ts';
import { insertHeartbeat, readBeats, secretContext, writeAddresses, writeBeats } from './store.ts';

/**
 * Follows a change of a heartbeat's settings, in its transaction, after they are written: its addresses, and what is
 * expected by the new times. `restarts`: everything begins again, as after a pause. Returns whether what was missed by
 * the old times is in time by the new ones. Throws `name_taken`.
 */
export async function configureHeartbeat(
  sql: Sql,
  keyring: Keyring,
  { id, projectId, settings }: Pick<StoredMonitor, 'id' | 'projectId' | 'settings'>,
  restarts: boolean,
  nowMs: number,
): Promise<boolean> {
  if (settings.heartbeat == null) return false;
  const secret = newSecret();
  const sealed = keyring.seal(secret, secretContext(id));
  await insertHeartbeat(sql, { monitorId: id, projectId, hash: hashAddress(secret), sealed, atMs: nowMs });
  const { slug, aliases } = settings.heartbeat;
  await takeAddresses(sql, { monitorId: id, projectId }, slug, aliases.map(normalAlias).map(hashAddress));
  const stored = (await readBeats(sql, [id])).get(id);
  if (stored === undefined) return false;
  const { timing } = stored;
  const beat = restarts ? noBeat : retimed(stored.beat, timing);
  const { at } = waitOf(beat, timing);
  await writeBeats(sql, [{ monitorId: id, beat, dueAt: at }]);
  const deadline = deadlineOf(beat, timing, []);
  return stored.beat.missedAt !== null && deadline !== null && deadline > nowMs;
}

/** UUIDs are the same in capitals. */
export function normalAlias(alias: string): string {
  return alias.includes('-') ? alias.toLowerCase() : alias;
}

/** When time alone changes a beat, without regard to times in which nobody took signals. */
export function waitOf(beat: Parameters<typeof dueOf>[0], timing: Parameters<typeof dueOf>[1]): { at: number | null } {
  const due = dueOf(beat, timing, [], Number.NEGATIVE_INFINITY);
  return { at: due.type === 'wait' ? due.at : due.deadline };
}

/** A deleted monitor gives its slug and aliases up at once. */
export async function dropAddresses(sql: Sql, monitor: { id: string; projectId: string }): Promise<void> {
  await writeAddresses(sql, { monitorId: monitor.id, projectId: monitor.projectId }, null, []);
}

async function takeAddresses(
  sql: Sql,
  of: { monitorId: string; projectId: string },
  slug: string | null,
  aliases: readonly Buffer[],
): Promise<void> {
  try {
    await writeAddresses(sql, of, slug, aliases);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Problem('name_taken', { detail: 'the slug or an alias is that of another heartbeat' });
  }
}
