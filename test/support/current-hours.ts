import { bucketsOf } from '#control-plane/monitoring/checks/roll-up/current-hours.ts';
import { addToHours } from '#control-plane/monitoring/checks/roll-up/hourly-store.ts';
import { lockStates, writeCurrentHours } from '#control-plane/monitoring/monitors/state/state-store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { patientPools } from './patient-pools.ts';

/**
 * Moves the current hours of a monitor, or of all, to the roll-up, as results of a later hour would, and then runs
 * statements in the same transaction: what agents report meanwhile is stored after it.
 */
export async function withClosedHours<Result>(
  databaseUrl: string,
  work: (sql: Sql) => Promise<Result>,
  monitorId: string | null = null,
): Promise<Result> {
  const pools = patientPools(databaseUrl);
  try {
    return await transaction(pools.background, async sql => {
      await closeCurrentHours(sql, monitorId);
      return work(sql);
    });
  } finally {
    await pools.end();
  }
}

async function closeCurrentHours(sql: Sql, monitorId: string | null): Promise<void> {
  const rows = await sql.rows<{ id: string }>`
    select monitor_id as id
    from monitor_states
    where ${monitorId}::text is null or monitor_id = ${monitorId}`;
  const states = await lockStates(
    sql,
    rows.map(({ id }) => id),
  );
  const buckets = states.flatMap(({ monitorId, currentHour }) =>
    currentHour === null ? [] : bucketsOf(monitorId, currentHour),
  );
  await addToHours(sql, buckets);
  await writeCurrentHours(
    sql,
    states.map(({ monitorId }) => ({ monitorId, currentHour: null })),
  );
}
