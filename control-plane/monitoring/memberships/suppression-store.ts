import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { membershipWindows } from './window-store.ts';

/** Whether a window covers a monitor at an instant in which its alerts are suppressed, as a condition. */
export function isSuppressedAt(monitorId: Fragment, atMs: number): Fragment {
  return fragment`
    exists (
      select
      from ${membershipWindows}
      where b.monitor_id = ${monitorId}
        and m.alerts = 'hold'
        and w.starts <= ${instant(atMs)}
        and w.ends > ${instant(atMs)}
    )`;
}

/** Whether an alert of the monitor that opens at the instant is suppressed. */
export async function isSuppressed(sql: Sql, monitorId: string, atMs: number): Promise<boolean> {
  const row = await sql.row<{
    suppressed: boolean;
  }>`select ${isSuppressedAt(fragment`${monitorId}::text`, atMs)} as suppressed`;
  return row?.suppressed === true;
}
