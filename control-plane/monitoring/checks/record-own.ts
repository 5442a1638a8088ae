import { dayOf } from '#shared/duration.ts';
import type { SeriesStore } from '../../platform/db/series/series.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import type { CheckHooks } from './hooks.ts';
import type { VersionRules } from './intake/accept.ts';
import type { Cast } from './intake/prepare.ts';
import { addResults } from './roll-up/add-results.ts';
import { type Inserted, insertResults, type NewResult } from './storage/insert-store.ts';
import type { TemplateDictionary } from './storage/template-dictionary.ts';

/** A result that the control plane made itself, for a locked state. */
export type OwnResult = { state: MonitorState; result: NewResult; cast?: Cast };

/** Makes room for results of these instants; before the transaction that stores them. */
export async function ensureRoom(series: SeriesStore, instants: readonly number[]): Promise<void> {
  await series.ensure('check_results', instants);
  await series.ensure('checks_hourly', instants);
  await series.ensure('check_shapes', instants.map(dayOf));
}

/** Stores each once, counts and judges it. Returns what they have in common that was stored for the first time. */
export async function recordOwn(
  sql: Sql,
  { hooks, templates }: { hooks: CheckHooks; templates: TemplateDictionary },
  results: readonly OwnResult[],
  nowMs: number,
): Promise<Inserted['templates']> {
  const { indexes, templates: added } = await insertResults(
    sql,
    results.map(({ result }) => result),
    templates,
    true,
  );
  const fresh = indexes.flatMap(index => results[index] ?? []);
  const states = results.map(({ state }) => state);
  const stored = fresh.map(({ result }) => result);
  const counted = await addResults(sql, states, stored, nowMs);
  const judged = fresh.map(({ state, ...item }) => ({ ...item, version: versionOf(state) }));
  await hooks.recorded(sql, counted, judged, nowMs);
  return added;
}

/** What is the same in all results that no agent reports. */
export const blankResult = {
  seq: 1,
  latency_ms: null,
  timings: null,
  status_code: null,
  error: null,
  assertions: [],
  remote_ip: null,
  bytes: 0,
  truncated: false,
  tls: null,
  bin: null,
} as const satisfies Partial<NewResult>;

function versionOf({ projectId, rules: { regions, intervalMs, timeoutMs } }: MonitorState): VersionRules {
  return { projectId, atMs: 0, regions, intervalMs, timeoutMs, p95: [], warning: null, warnOn: [] };
}
