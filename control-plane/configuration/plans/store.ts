import { instant, type Sql } from '../../platform/db/sql.ts';

export type PlanRow = {
  id: string;
  manager: string;
  sealed_request: Buffer;
  sealed_plan: Buffer;
  created_at: number;
  expires_at: number;
  applied_at: number | null;
};

const openMax = 20;

/** Stores a plan. Of more than twenty open ones, the oldest end; those of readers end no others. */
export async function insertPlan(
  sql: Sql,
  projectId: string,
  plan: Omit<PlanRow, 'applied_at' | 'sealed_request' | 'sealed_plan'> & {
    sealed_request: Uint8Array;
    sealed_plan: Uint8Array;
    by_reader: boolean;
  },
): Promise<void> {
  await sql.run`
    delete from config_plans
    where id in (
      select id
      from config_plans
      where project_id = ${projectId}
        and applied_at is null
        and by_reader = ${plan.by_reader}
      order by created_at desc, id desc
      offset ${openMax - 1}
    )`;
  await sql.run`
    insert into config_plans (
      id, project_id, manager, sealed_request, sealed_plan, created_at, expires_at, by_reader
    )
    values (
      ${plan.id}, ${projectId}, ${plan.manager}, ${plan.sealed_request}, ${plan.sealed_plan},
      ${instant(plan.created_at)}, ${instant(plan.expires_at)}, ${plan.by_reader}
    )`;
}

/** Null if there is none, or not any more. */
export function findPlan(sql: Sql, projectId: string, id: string, nowMs: number): Promise<PlanRow | null> {
  return sql.row<PlanRow>`
    select id, manager, sealed_request, sealed_plan, created_at, expires_at, applied_at
    from config_plans
    where project_id = ${projectId}
      and id = ${id}
      and expires_at > ${instant(nowMs)}`;
}

/** An applied plan needs no secrets any more, and stays for a day. */
export async function markApplied(
  sql: Sql,
  id: string,
  sealedPlan: Uint8Array,
  expiresAt: number,
  nowMs: number,
): Promise<void> {
  await sql.run`
    update config_plans
    set applied_at = ${instant(nowMs)}, expires_at = ${instant(expiresAt)}, sealed_plan = ${sealedPlan},
      sealed_request = ''
    where id = ${id}`;
}

/**
 * Takes one of the project's two places of plans until the transaction ends: a plan locks what it tries to change. A
 * reader's plan has one of them alone.
 */
export async function takePlanPlace(sql: Sql, projectId: string, byReader: boolean): Promise<boolean> {
  const places = byReader ? [1] : [1, 2];
  for (const place of places) {
    const row = await sql.row<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`configuration plan ${place} ${projectId}`}, 0)) as taken`;
    if (row?.taken === true) return true;
  }
  return false;
}

/** False if another apply of the project is running. */
export async function lockConfiguration(sql: Sql, projectId: string): Promise<boolean> {
  const row = await sql.row<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`configuration ${projectId}`}, 0)) as locked`;
  return row?.locked === true;
}

/** Deletes the plans that ended before the instant. */
export async function deletePlansBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`
    delete from config_plans
    where expires_at < ${instant(beforeMs)}`;
}
