import { instants, smallints, texts } from '../../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import { decodeSet, emptySet, encodeSet } from '../../user-sets/user-set.ts';
import type { FlowVersion } from '../flow.ts';
import { compareKeys, type HourlyStep } from './hourly-step.ts';

type VersionKey = Pick<FlowVersion, 'flowId' | 'version'>;
type HourlyStepRow = { hour: number; release_id: string; step: number; cell: Buffer };

const rowsPerInsert = 500;

/** Steps of the hours in [fromMs, toMs), in no order; of all releases if `releaseId` is null. */
export async function listHourlySteps(
  sql: Sql,
  { flowId, version }: VersionKey,
  fromMs: number,
  toMs: number,
  releaseId: string | null,
): Promise<HourlyStep[]> {
  const rows = await sql.rows<HourlyStepRow>`
    select hour, release_id, step, cell
    from events_hourly
    where flow_id = ${flowId}
      and version = ${version}
      and hour >= ${instant(fromMs)}
      and hour < ${instant(toMs)}
      and (${releaseId}::text is null or release_id = ${releaseId}::text)`;
  return rows.map(row => ({ hour: row.hour, releaseId: row.release_id, step: row.step, users: decodeSet(row.cell) }));
}

/** The last hour in [fromMs, toMs) of each release that has entries there. */
export async function findLastHours(
  sql: Sql,
  { flowId, version }: VersionKey,
  fromMs: number,
  toMs: number,
): Promise<[releaseId: string, hour: number][]> {
  const rows = await sql.rows<{ release_id: string; hour: number }>`
    select release_id, max(hour) as hour
    from events_hourly
    where flow_id = ${flowId}
      and version = ${version}
      and hour >= ${instant(fromMs)}
      and hour < ${instant(toMs)}
    group by release_id`;
  return rows.map(row => [row.release_id, row.hour]);
}

/** Inserts or replaces steps, sorted by key so that two writers never deadlock. */
export async function saveHourlySteps(sql: Sql, version: FlowVersion, steps: readonly HourlyStep[]): Promise<void> {
  const sorted = steps.toSorted(compareKeys);
  for (let start = 0; start < sorted.length; start += rowsPerInsert)
    await insertHourlySteps(sql, version, sorted.slice(start, start + rowsPerInsert));
}

async function insertHourlySteps(sql: Sql, version: FlowVersion, steps: readonly HourlyStep[]): Promise<void> {
  await sql.run`
    insert into events_hourly (flow_id, version, hour, release_id, step, project_id, cell)
    select ${version.flowId}, ${version.version}, hour, release_id, step, ${version.projectId}, cell
    from unnest(
      ${instants(steps.map(step => step.hour))}::timestamptz[],
      ${texts(steps.map(step => step.releaseId))}::text[],
      ${smallints(steps.map(step => step.step))}::smallint[],
      ${steps.map(step => encodeSet(step.users))}::bytea[]
    ) as s (hour, release_id, step, cell)
    on conflict (flow_id, version, hour, release_id, step) do update set cell = excluded.cell`;
}

export async function deleteHourlySteps(sql: Sql, version: VersionKey, hours: readonly number[]): Promise<void> {
  await sql.run`
    delete from events_hourly
    where flow_id = ${version.flowId}
      and version = ${version.version}
      and hour = any(${hours.map(hour => instant(hour))}::timestamptz[])`;
}

/** Deletes steps whose last user was taken out: a step computed from nothing has no row either. */
export async function deleteEmptySteps(sql: Sql, version: VersionKey, hours: readonly number[]): Promise<void> {
  await sql.run`
    delete from events_hourly
    where flow_id = ${version.flowId}
      and version = ${version.version}
      and hour = any(${hours.map(hour => instant(hour))}::timestamptz[])
      and cell = ${encodeSet(emptySet())}`;
}

/** Hours in [fromMs, toMs) that have steps, in no order. */
export async function listRolledUpHours(
  sql: Sql,
  { flowId, version }: VersionKey,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const rows = await sql.rows<{ hour: number }>`
    select distinct hour
    from events_hourly
    where flow_id = ${flowId}
      and version = ${version}
      and hour >= ${instant(fromMs)}
      and hour < ${instant(toMs)}`;
  return rows.map(row => row.hour);
}
