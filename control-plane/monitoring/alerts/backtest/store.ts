import { dayMs, dayOf } from '#shared/duration.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { joinParts, type ReadParts } from '../../checks/storage/template.ts';
import { findTemplates } from '../../checks/storage/template-store.ts';
import { toAlertRules } from '../../monitors/alert-rules.ts';
import { observedIn, type StoredObservation } from '../../verdicts/store.ts';
import type { Answered } from './assertions.ts';
import type { ReplayedAlert, RulesInForce } from './replay.ts';

/** True if one of the project's two places is free; it is taken until the transaction ends. */
export async function takePlace(sql: Sql, projectId: string): Promise<boolean> {
  for (const place of [1, 2]) {
    const row = await sql.row<{ granted: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`backtest ${place} ${projectId}`}, 0)) as granted`;
    if (row?.granted === true) return true;
  }
  return false;
}

/** How many results are stored in [from, to), at most `max` + 1. */
export async function countResults(
  sql: Sql,
  monitorId: string,
  fromMs: number,
  toMs: number,
  max: number,
): Promise<number> {
  const row = await sql.row<{ count: number }>`
    select count(*)::integer as count
    from (
      select 1
      from check_results
      where monitor_id = ${monitorId}
        and scheduled_at >= ${instant(fromMs)}
        and scheduled_at < ${instant(toMs)}
      limit ${max + 1}
    ) as counted`;
  return row?.count ?? 0;
}

/** The regions with results in [from, to), and whether a check took as long as it may. */
export async function findKept(
  sql: Sql,
  monitorId: string,
  fromMs: number,
  toMs: number,
  timeoutMs: number,
): Promise<{ region: string; timed_out: boolean }[]> {
  return sql.rows`
    select region,
      bool_or(
        status = 'err'
        and (
          completed_at - started_at >= ${timeoutMs} * interval '1 millisecond'
          or coalesce(detail->'error'->>'code', '') in ('timeout', 'connect_timeout')
        )
      ) as timed_out
    from check_results
    where monitor_id = ${monitorId}
      and scheduled_at >= ${instant(fromMs)}
      and scheduled_at < ${instant(toMs)}
    group by region`;
}

type AnswerRow = StoredObservation &
  ReadParts & { scheduled_at: number; status_code: number | null; latency_ms: number | null };
type ReadAnswer = StoredObservation & Answered;

const answerColumns = fragment`
  region, status, failure_source, attempt, started_at, completed_at, received_at, config_version, scheduled_at,
  status_code, latency_ms, agent_id, detail, shape as template, figures as metrics`;

/** As `listObservations`, with what is stored of the answers. */
export async function listAnswers(sql: Sql, monitorId: string, fromMs: number, untilMs: number): Promise<ReadAnswer[]> {
  const rows = await sql.rows<AnswerRow>`
    select ${answerColumns}
    from check_results
    where ${observedIn(monitorId, fromMs, untilMs)}
    order by completed_at, region, attempt`;
  return withTemplates(sql, monitorId, rows);
}

/** A signal of a heartbeat, also one that does not vote. */
export type StoredSignal = ReadAnswer;

/** Signals after one of them, until an instant, in the order in which they are judged. */
export async function listSignals(
  sql: Sql,
  monitorId: string,
  { after, untilMs }: { after: { at: number; attempt: number }; untilMs: number },
  limit: number,
): Promise<StoredSignal[]> {
  const rows = await sql.rows<AnswerRow>`
    select ${answerColumns}
    from check_results
    where monitor_id = ${monitorId}
      and scheduled_at >= ${instant(after.at)}
      and scheduled_at <= ${instant(untilMs)}
      and (scheduled_at, attempt) > (${instant(after.at)}::timestamptz, ${after.attempt}::integer)
      and region = 'heartbeat'
      and kind = 'signal'
    order by scheduled_at, attempt
    limit ${limit}`;
  return withTemplates(sql, monitorId, rows);
}

/** When a heartbeat voted last until an instant; null if that is not stored. */
export async function findVoteUntil(sql: Sql, monitorId: string, untilMs: number): Promise<number | null> {
  const row = await sql.row<{ at: number | null }>`
    select max(completed_at) as at
    from check_results
    where ${observedIn(monitorId, untilMs - 31 * dayMs, untilMs)}`;
  return row?.at ?? null;
}

async function withTemplates(sql: Sql, monitorId: string, rows: readonly AnswerRow[]): Promise<ReadAnswer[]> {
  const hashes = [...new Set(rows.flatMap(row => row.template ?? []))];
  const days = rows.map(({ scheduled_at: at }) => dayOf(at));
  const span = { fromDay: Math.min(...days), toDay: Math.max(...days) };
  const templates = hashes.length === 0 ? new Map() : await findTemplates(sql, monitorId, { ...span, hashes });
  return rows.map(row => ({ ...row, detail: joinParts(row, templates.get(row.template ?? -1)).detail }));
}

/** The rules for alerts that were in force from `fromMs` on, the first of them at the start. */
export async function listRules(sql: Sql, monitorId: string, fromMs: number): Promise<RulesInForce[]> {
  const rows = await sql.rows<{ at: number; rules: unknown }>`
    select at, rules
    from alert_rule_versions
    where monitor_id = ${monitorId}
      and rules_version >= coalesce(
        (
          select max(rules_version)
          from alert_rule_versions
          where monitor_id = ${monitorId} and at <= ${instant(fromMs)}
        ),
        0
      )
    order by rules_version`;
  if (rows.length > 0) return rows.map(({ at, rules }) => ({ at, rules: toAlertRules(rules) }));
  const current = await sql.row<{ rules: unknown }>`select alert_rules as rules from monitors where id = ${monitorId}`;
  return [{ at: fromMs, rules: toAlertRules(current?.rules ?? {}) }];
}

/** Alerts that were unresolved at the instant, with the last that had been resolved before. */
export async function listAlertsAt(
  sql: Sql,
  monitorId: string,
  atMs: number,
): Promise<(ReplayedAlert & { flapping_since: number | null })[]> {
  return sql.rows`
    select a.kind, a.started_at, coalesce(a.opened_at, a.created_at) as opened_at, a.resolved_at, a.flapping_since
    from alerts a
    where a.monitor_id = ${monitorId}
      and a.kind not in ('certificate', 'domain')
      and coalesce(a.opened_at, a.created_at) < ${instant(atMs)}
    order by a.started_at desc
    limit 10`;
}
