import { instant, type Sql } from '../db/sql.ts';
import type { Acknowledger } from './alert.ts';

/** True if the alert was open and is acknowledged now. `state` is only that of kind `down`, see migration 0067. */
export async function acknowledge(
  sql: Sql,
  projectId: string,
  id: string,
  by: Acknowledger,
  nowMs: number,
): Promise<boolean> {
  const acknowledged = await sql.run`
    update alerts a
    set state = case when kind = 'down' then 'acknowledged' else state end,
      own_state = case when kind <> 'down' then 'acknowledged' end,
      acknowledged_at = ${instant(nowMs)},
      acknowledged_by = ${JSON.stringify(by)}
    where a.project_id = ${projectId}
      and a.id = ${id}
      and a.current_state = 'open'`;
  return acknowledged === 1;
}
