import { fragment } from './sql.ts';

/** Where a reading of changes goes on: at which transaction, of which server. */
export type ReadPosition = { xid: string; server: string };

/**
 * The oldest transaction that is still running: everything before it is visible. A standby that took over may not have
 * the last transactions of the former server, and counts on from where it was.
 */
export const readPosition = fragment`
  pg_snapshot_xmin(pg_current_snapshot())::text as xid, pg_postmaster_start_time()::text as server`;
