import { minuteMs } from '#shared/duration.ts';
import { isAboutAlert } from '../../delivery/notifications/about-alert-store.ts';
import type { AlertRow } from '../../monitoring/alerts/store.ts';
import { mostUrgent } from '../../monitoring/certificates/certificate.ts';
import { lookBackMs } from '../../monitoring/certificates/watch.ts';
import type { ResultRow } from '../../monitoring/checks/result.ts';
import { listResults } from '../../monitoring/checks/storage/history-store.ts';
import { listCurrentWindows } from '../../monitoring/memberships/window-store.ts';
import { type AlertRules, toAlertRules } from '../../monitoring/monitors/alert-rules.ts';
import { listVerdicts } from '../../monitoring/verdicts/list-store.ts';
import type { Ballot } from '../../monitoring/verdicts/timeline.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';
import { endOfDomain } from './domain.ts';
import type { Evidence, ExplainedGroup } from './explain.ts';

/** Slots begin at most so long before their check ends. */
const slotMs = 10 * minuteMs;
const resultsMax = 200;
/** Checks may have failed since the last one that saw a certificate. */
const certificatesMax = 20;

/** Reads everything that explains an alert, in a bounded number of short reads. */
export async function readEvidence(sql: Sql, alert: AlertRow): Promise<Evidence> {
  const { monitor_id: monitorId, started_at: since } = alert;
  if (alert.kind === 'certificate' || alert.kind === 'domain') return readExpiryEvidence(sql, alert);
  const filter = { monitorId, fromMs: since, toMs: since + 1, verdicts: [alert.kind] };
  const [row = null] = await listVerdicts(sql, alert.project_id, filter, { limit: 1, after: null });
  const ballots = Object.entries(row?.ballots ?? {}).filter(([, ballot]) => ballot.as_of > 0);
  const results: ResultRow[] = [];
  for (const [region, ballot] of ballots) results.push(...(await resultsOf(sql, monitorId, region, ballot)));
  const bad = alert.kind === 'degraded' ? 'warn' : 'down';
  const first = ballots
    .filter(([, { vote, counted }]) => vote === bad && counted)
    .reduce<[string, Ballot] | null>(
      (least, next) => (least === null || next[1].since < least[1].since ? next : least),
      null,
    );
  return {
    alert,
    row,
    rules: await findRules(sql, monitorId, alert.rules_version),
    results,
    certificates: [],
    lastGoodAt: first === null ? null : await findLastGood(sql, monitorId, first[0], first[1].since),
    notifiedAt: await findNotifiedAt(sql, alert.project_id, alert.id),
    window: await findWindow(sql, alert),
    group: await findGroup(sql, alert),
    deliveries: await listDeliveriesOf(sql, alert),
  };
}

async function readExpiryEvidence(sql: Sql, alert: AlertRow): Promise<Evidence> {
  const { id, project_id: projectId, monitor_id: monitorId, opened_at: openedAt } = alert;
  const fromMs = openedAt - lookBackMs(await findInterval(sql, monitorId)) - slotMs;
  const certificates: ResultRow[] = [];
  for (const region of alert.regions) {
    const filter = { monitorId, region, fromMs, toMs: openedAt + 1 };
    const rows = await listResults(sql, filter, { limit: certificatesMax, after: null });
    const last = rows.find(row => {
      const at = Math.min(row.completed_at, row.received_at);
      return at <= openedAt && (alert.kind === 'domain' ? endOfDomain(row, at) : mostUrgent(row.detail, at));
    });
    if (last !== undefined) certificates.push(last);
  }
  return {
    alert,
    row: null,
    rules: await findRules(sql, monitorId, alert.rules_version),
    results: [],
    certificates,
    lastGoodAt: null,
    notifiedAt: await findNotifiedAt(sql, projectId, id),
    window: await findWindow(sql, alert),
    group: await findGroup(sql, alert),
    deliveries: await listDeliveriesOf(sql, alert),
  };
}

async function findInterval(sql: Sql, monitorId: string): Promise<number> {
  const row = await sql.row<{ ms: number }>`
    select interval_seconds * 1000 as ms
    from monitors
    where id = ${monitorId}`;
  return row?.ms ?? 0;
}

/** Results around the start of a vote and at its age. */
async function resultsOf(sql: Sql, monitorId: string, region: string, { since, as_of }: Ballot): Promise<ResultRow[]> {
  const read = (fromMs: number, toMs: number) =>
    listResults(sql, { monitorId, region, fromMs, toMs }, { limit: resultsMax, after: null });
  const started = await read(since - slotMs, since + slotMs);
  return as_of <= since + slotMs ? started : [...started, ...(await read(as_of - slotMs, as_of + slotMs))];
}

/** End of the region's last good check before the instant. */
async function findLastGood(sql: Sql, monitorId: string, region: string, beforeMs: number): Promise<number | null> {
  const row = await sql.row<{ at: number }>`
    select least(completed_at, received_at) as at
    from check_results
    where monitor_id = ${monitorId}
      and region = ${region}
      and scheduled_at <= ${instant(beforeMs)}
      and status = 'ok'
      and least(completed_at, received_at) <= ${instant(beforeMs)}
    order by scheduled_at desc, completed_at desc
    limit 1`;
  return row?.at ?? null;
}

async function findRules(sql: Sql, monitorId: string, version: number | null): Promise<AlertRules | null> {
  const row = await sql.row<{ rules: unknown }>`
    select v.rules
    from alert_rule_versions v
    where v.monitor_id = ${monitorId} and v.rules_version = ${version}::integer
    union all
    select m.alert_rules
    from monitors m
    where m.id = ${monitorId} and m.rules_version = ${version}::integer
    limit 1`;
  return row === null ? null : toAlertRules(row.rules);
}

async function findNotifiedAt(sql: Sql, projectId: string, id: string): Promise<number | null> {
  const row = await sql.row<{ told_at: number | null }>`
    select case when held then told_at else coalesce(told_at, created_at) end as told_at
    from alerts
    where project_id = ${projectId} and id = ${id}`;
  return row?.told_at ?? null;
}

/** The window that the monitor was in when the alert was held, or else opened. */
async function findWindow(sql: Sql, { monitor_id: id, held_since, opened_at }: AlertRow): Promise<Evidence['window']> {
  const windows = await listCurrentWindows(sql, [id], held_since ?? opened_at);
  return windows.get(id) ?? null;
}

async function findGroup(sql: Sql, { project_id: projectId, group_id: id }: AlertRow): Promise<ExplainedGroup | null> {
  if (id === null) return null;
  return sql.row<ExplainedGroup>`
    select g.id, g.cause, g.opened_at, g.told_at, g.state,
      (select count(*) from alert_group_members m where m.group_id = g.id) as alerts
    from alert_groups g
    where g.project_id = ${projectId} and g.id = ${id}`;
}

/** Deliveries about the alert, and from then on about its group. */
async function listDeliveriesOf(
  sql: Sql,
  { project_id: projectId, id, created_at: createdAt }: AlertRow,
): Promise<Evidence['deliveries']> {
  return sql.once`
    with found as materialized (
      select d.id
      from deliveries d
      where ${isAboutAlert(id)}
      union
      select d.id
      from deliveries d
      where d.alert_id = ${id}
      union
      select d.id
      from alert_group_members m
      join deliveries d on d.group_id = m.group_id
      where m.project_id = ${projectId} and m.alert_id = ${id} and d.created_at >= ${instant(createdAt)}
    )
    select d.id, coalesce(d.channel_type, d.channel) as channel, d.state, d.created_at, d.sent_at
    from deliveries d
    where d.id in (select found.id from found) and d.project_id = ${projectId}
    order by d.created_at, d.id
    limit 200`;
}
