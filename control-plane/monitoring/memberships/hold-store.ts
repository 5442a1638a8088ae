import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { membershipWindows } from './window-store.ts';

/** Whether a window covers a monitor at an instant in which its alerts are held, as a condition. */
export function isHeldAt(monitorId: Fragment, atMs: number): Fragment {
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

/** Whether an alert of the monitor that opens at the instant is held. */
export async function isHeld(sql: Sql, monitorId: string, atMs: number): Promise<boolean> {
  const row = await sql.row<{ held: boolean }>`select ${isHeldAt(fragment`${monitorId}::text`, atMs)} as held`;
  return row?.held === true;
}
