import type { Sql } from '../db/sql.ts';
import { eventRetentionDays, type Plan } from './project.ts';

/** Sets the plan of a project, and the retention of raw events that it has. */
export async function setPlan(sql: Sql, id: string, plan: Plan): Promise<void> {
  await sql.run`
    update projects set
      plan = ${plan},
      event_retention_days = ${eventRetentionDays(plan)}
    where id = ${id}`;
}
