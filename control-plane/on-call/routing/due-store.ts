import { fragment, instant } from '../../platform/db/sql.ts';

/** Whether a group or a digest is due. */
export const isAnyGroupDue = (nowMs: number) => fragment`(
  exists (select from alert_groups where due_at < 'infinity' and due_at <= ${instant(nowMs)})
  or exists (select from quiet_digests where due_at <= ${instant(nowMs)})
)`;
