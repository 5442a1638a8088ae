import type pg from 'pg';
import type { WireResult } from '#shared/check-result.ts';
import type { SeriesStore } from '../db/series.ts';
import type { Sql } from '../db/sql.ts';
import { sqlOf } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { lockStates } from '../monitors/state-store.ts';
import { type RefusalReason, refusalOf, type VersionRules } from './accept.ts';
import { type Accepted, decideP95 } from './decide-p95.ts';
import { detailOf } from './detail.ts';
import { binOf } from './latency-bins.ts';
import type { CheckStages } from './stages.ts';
import { findVersions, storeResults } from './store.ts';

/** A result as it came, and who brought it. */
export type Reported = { result: WireResult; agentId: string; region: string };

/** What became of each result, in order: null when it is stored, now or before. */
export type Recorded = { refusals: (RefusalReason | null)[]; stored: number };

export type RecordServices = {
  pool: pg.Pool;
  series: SeriesStore;
  stages: CheckStages;
  versions: Map<string, VersionRules>;
};

const versionsKept = 200_000;

/** Stores a batch once, judges what is new, and returns after the commit. Throws what the database throws; then nothing of it is stored. */
export async function recordResults(
  services: RecordServices,
  reported: readonly Reported[],
  nowMs: number,
): Promise<Recorded> {
  await learnVersions(services, reported);
  const refusals = reported.map(({ result, region }) =>
    refusalOf(result, region, services.versions.get(versionKey(result)), nowMs),
  );
  const accepted = withoutRepeats(
    reported.flatMap((one, place) => (refusals[place] === null ? prepare(one, services.versions, nowMs) : [])),
  );
  if (accepted.length === 0) return { refusals, stored: 0 };
  accepted.sort(byKey);
  await services.series.ensure(
    'check_results',
    accepted.map(one => one.result.scheduled_at),
  );
  await services.series.ensure(
    'checks_hourly',
    accepted.map(one => one.result.scheduled_at),
  );
  const { confirmations, stored } = await transaction(services.pool, sql => store(sql, services, accepted, nowMs));
  await services.stages.confirm(confirmations);
  return { refusals, stored };
}

async function store(sql: Sql, services: RecordServices, accepted: readonly Accepted[], nowMs: number) {
  const states = await lockStates(sql, [...new Set(accepted.map(one => one.result.monitor_id))]);
  const decided = await decideP95(sql, accepted);
  const places = await storeResults(
    sql,
    decided.map(one => one.result),
    nowMs,
  );
  const fresh = places.length === decided.length ? decided : places.flatMap(place => decided[place] ?? []);
  return { confirmations: await services.stages.recorded(sql, states, fresh, nowMs), stored: fresh.length };
}

async function learnVersions({ pool, versions }: RecordServices, reported: readonly Reported[]): Promise<void> {
  const unknown = new Map<string, readonly [string, number]>();
  for (const { result } of reported) {
    const key = versionKey(result);
    if (!versions.has(key)) unknown.set(key, [result.monitor_id, result.config_version]);
  }
  if (unknown.size === 0) return;
  if (versions.size > versionsKept) versions.clear();
  for (const [key, version] of await findVersions(sqlOf(pool), [...unknown.values()])) versions.set(key, version);
}

function prepare(
  { result, agentId, region }: Reported,
  versions: ReadonlyMap<string, VersionRules>,
  receivedAt: number,
): Accepted[] {
  const version = versions.get(versionKey(result));
  if (version === undefined) return [];
  const counts =
    result.status !== 'err' && result.latency_ms !== null && result.kind === 'scheduled' && result.attempt === 1;
  const bin = counts && result.latency_ms !== null ? binOf(result.latency_ms) : null;
  return [{ result: { ...result, region, agentId, receivedAt, bin, detail: detailOf(result) }, version }];
}

/** Group commit may bring two deliveries of one result together: the statement must see its key once, or the roll-up would count both. */
function withoutRepeats(accepted: readonly Accepted[]): Accepted[] {
  const seen = new Set<string>();
  return accepted.filter(({ result }) => {
    const key = `${result.monitor_id} ${result.scheduled_at} ${result.region} ${result.kind} ${result.attempt}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function versionKey(result: WireResult): string {
  return `${result.monitor_id} ${result.config_version}`;
}

function byKey({ result: left }: Accepted, { result: right }: Accepted): number {
  if (left.monitor_id !== right.monitor_id) return left.monitor_id < right.monitor_id ? -1 : 1;
  return (
    left.scheduled_at - right.scheduled_at || left.completed_at - right.completed_at || left.attempt - right.attempt
  );
}
