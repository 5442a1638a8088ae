import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { FlowVersionKey } from '../flow.ts';

type VersionKey = Pick<FlowVersionKey, 'flowId' | 'version'>;

/** The version failed: it backs off, and then tries less at once. */
export async function addFailure(sql: Sql, { flowId, version }: VersionKey, retryAtMs: number): Promise<void> {
  await sql.run`
    update flow_versions
    set strikes = least(strikes + 1, 30), rests_until = ${instant(retryAtMs)}
    where flow_id = ${flowId}
      and version = ${version}`;
}

/** The version has caught up. */
export async function clearFailures(sql: Sql, { flowId, version }: VersionKey): Promise<void> {
  await sql.run`
    update flow_versions
    set strikes = 0, rests_until = null
    where flow_id = ${flowId}
      and version = ${version}`;
}

/** Ends statements of this transaction that take longer. */
export async function limitStatements(sql: Sql, ms: number): Promise<void> {
  await sql.run`select set_config('statement_timeout', ${String(ms)}, true)`;
}
