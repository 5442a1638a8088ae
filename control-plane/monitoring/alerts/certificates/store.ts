import type { Severity } from '#shared/vocabulary.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { isLeftOut } from '../../../platform/failures/store.ts';
import { storableJson } from '../../checks/storage/detail.ts';
import type { ExpiryKind } from '../../monitors/state/state.ts';
import type { AlertReason } from '../alert.ts';

/** The id of the unresolved alert about an end, with the higher of both severities; null if there is none. */
export async function raiseSeverity(
  sql: Sql,
  monitorId: string,
  kind: ExpiryKind,
  severity: Severity,
): Promise<string | null> {
  const row = await sql.row<{ id: string }>`
    update alerts
    set severity = least(severity, ${severity}::text)
    where monitor_id = ${monitorId} and kind = ${kind} and own_state <> 'resolved'
    returning id`;
  return row?.id ?? null;
}

/** Adds regions to the unresolved alert, with the reason that names them. */
export async function noteCertificates(
  sql: Sql,
  monitorId: string,
  kind: ExpiryKind,
  seen: { regions: readonly string[]; reason: AlertReason },
): Promise<void> {
  await sql.run`
    update alerts a
    set regions_failing = array(
        select region
        from unnest(a.regions) as region
        where region = any(a.regions_failing) or region = any(${seen.regions}::text[])
      ),
      reason = ${storableJson(seen.reason)}
    where a.monitor_id = ${monitorId} and a.kind = ${kind} and a.own_state <> 'resolved'`;
}

/** Monitors whose alert about a certificate resolves by time alone. */
export async function listDueCertificates(sql: Sql, dueMs: number, limit: number): Promise<string[]> {
  const rows = await sql.rows<{ monitor_id: string }>`
    select monitor_id
    from monitor_states
    where certificates_due_at <= ${instant(dueMs)}
      and not ${isLeftOut('certificates', fragment`monitor_id`, dueMs)}
    order by certificates_due_at
    limit ${limit}`;
  return rows.map(row => row.monitor_id);
}
