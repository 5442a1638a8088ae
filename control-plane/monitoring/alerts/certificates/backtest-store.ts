import type { TlsDetail } from '#shared/check-result.ts';
import type { ClientCertificate, DomainFacts } from '#shared/checks/facts.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayOf } from '#shared/duration.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import type { ExpiryKind } from '../../monitors/state/state.ts';
import type { ReplayedAlert } from '../backtest/replay.ts';

/** What a region saw of an end. `failed`: the check may not have come to the last host. */
export type SeenRow = {
  region: string;
  config_version: number;
  received_at: number;
  at: number;
  tls: TlsDetail | null;
  client_certificate: ClientCertificate | null;
  domain: DomainFacts | null;
  error_code: string | null;
  failed: boolean;
};

/** The last alert about an end of before an instant. `ended_at`: null if it was unresolved then. */
export type LastCertificate = {
  alert: Omit<ReplayedAlert, 'resolved_at'>;
  ended_at: number | null;
  flapping_since: number | null;
};

/** The alert about an end that was unresolved at the instant, or resolved at most `goesOnMs` before. */
export async function findLastCertificate(
  sql: Sql,
  monitorId: string,
  kind: ExpiryKind,
  atMs: number,
  goesOnMs: number,
): Promise<LastCertificate | null> {
  const row = await sql.row<Omit<ReplayedAlert, 'resolved_at'> & Omit<LastCertificate, 'alert'>>`
    select kind, started_at, coalesce(opened_at, created_at) as opened_at,
      case when resolved_at <= ${instant(atMs)} then resolved_at end as ended_at,
      case when flapping_since <= ${instant(atMs)} then flapping_since end as flapping_since
    from alerts
    where monitor_id = ${monitorId}
      and kind = ${kind}
      and coalesce(opened_at, created_at) < ${instant(atMs)}
      and (resolved_at is null or resolved_at > ${instant(atMs - goesOnMs)})
    order by started_at desc
    limit 1`;
  if (row === null) return null;
  const { ended_at, flapping_since, ...alert } = row;
  return { alert, ended_at, flapping_since };
}

/** Agents report instants as text that sorts by time. Any other text may be taken for one; nothing follows from it. */
export async function isExpiryPossible(
  sql: Sql,
  monitorId: string,
  { from, to }: { from: number; to: number },
  untilMs: number,
): Promise<boolean> {
  const until = toTimestamp(untilMs);
  const ends = (tls: ReturnType<typeof fragment>) => fragment`
    ${tls}->>'valid_from' is not null and (
      (${tls}->>'valid_to') collate "C" <= ${until} or exists (
        select 1
        from json_array_elements(${tls}->'earlier') as one
        where (one->>'valid_to') collate "C" <= ${until}
      )
    )`;
  const row = await sql.row<{ possible: boolean }>`
    select exists (
      select 1
      from check_shapes
      where monitor_id = ${monitorId}
        and day >= ${instant(dayOf(from))}
        and day <= ${instant(to)}
        and (${ends(fragment`shape->'tls'`)} or ${ends(fragment`shape->'facts'->'client_certificate'`)})
    ) or exists (
      select 1
      from check_results
      where monitor_id = ${monitorId}
        and scheduled_at >= ${instant(from)}
        and scheduled_at < ${instant(to)}
        and shape is null
        and (${ends(fragment`detail->'tls'`)} or ${ends(fragment`detail->'facts'->'client_certificate'`)})
    ) as possible`;
  return row?.possible === true;
}

/** Certificates and domains of results that completed in (from, until], in order of completion. */
export async function listSeen(sql: Sql, monitorId: string, fromMs: number, untilMs: number): Promise<SeenRow[]> {
  return sql.rows<SeenRow>`
    select r.region, r.config_version, r.received_at, least(r.completed_at, r.received_at) as at,
      coalesce(s.shape->'tls', r.detail->'tls') as tls,
      coalesce(s.shape->'facts', r.detail->'facts')->'client_certificate' as client_certificate,
      coalesce(s.shape->'facts', r.detail->'facts')->'domain' as domain,
      r.detail->'error'->>'code' as error_code,
      coalesce(r.detail->>'error', '') <> '' as failed
    from check_results r
    left join check_shapes s
      on s.monitor_id = r.monitor_id
        and s.hash = r.shape
        and s.day = date_trunc('day', r.scheduled_at, 'UTC')
    where r.monitor_id = ${monitorId}
      and r.scheduled_at > ${instant(fromMs - 600_000)}
      and r.scheduled_at <= ${instant(untilMs)}
      and r.completed_at > ${instant(fromMs)}
      and r.completed_at <= ${instant(untilMs)}
      and (
        coalesce(s.shape->'tls', r.detail->'tls')->>'valid_from' is not null
        or coalesce(s.shape->'facts', r.detail->'facts')->'client_certificate' is not null
        or coalesce(s.shape->'facts', r.detail->'facts')->'domain'->>'ends_at' is not null
      )
    order by r.completed_at, r.attempt, r.region`;
}
