import type { ExecutionContext } from 'ava';
import type { FlowRule, FlowVersion } from '#control-plane/analytics/flows/flow.ts';
import { findVersion, insertFlow } from '#control-plane/analytics/flows/store.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { createTenant } from './control-plane.ts';
import { patientPools } from './patient-pools.ts';

/** A project with one flow in a database, without any replica that would roll it up. */
export type FlowWorld = {
  projectId: string;
  version: FlowVersion;
  sql: Sql;
  inTransaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
};

export const flowRule: FlowRule = {
  steps: [
    { event: 'one', where: [] },
    { event: 'two', where: [] },
  ],
  windowSeconds: 3600,
  order: 'ordered',
};

export async function openFlowWorld(
  t: ExecutionContext,
  databaseUrl: string,
  rule: FlowRule = flowRule,
): Promise<FlowWorld> {
  const pools = patientPools(databaseUrl);
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const { projectId } = await createTenant(databaseUrl);
  const flow = await insertFlow(sql, projectId, 'flow', rule, Date.now());
  const version = await findVersion(sql, flow.id, 1);
  if (version === null) throw new Error('the flow has no version');
  return { projectId, version, sql, inTransaction: work => transaction(pools.background, work) };
}
