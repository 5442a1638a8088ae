import type { AlertRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import type { Verdict } from '#shared/vocabulary.ts';

// What alerts do, from the contract's words alone and without regard to cost: each instant of a grid is looked at, and
// everything is computed anew from the rows that were known by then.

export type Decision = { verdict: Verdict; since: number; decidedAt: number };
export type RuleVersion = { at: number; rules: AlertRules };
export type OracleAlert = {
  kind: 'down' | 'degraded';
  startedAt: number;
  openedAt: number;
  resolvedAt: number | null;
  flappingSince: number | null;
  superseded: boolean;
  reopened: number;
};

type Row = { verdict: Verdict; since: number };
type Counted = { ms: number; from: number };

/** The alerts of a history, at every `gridMs` until `untilMs`. All instants must lie on the grid. */
export function oracleAlerts(
  decisions: readonly Decision[],
  versions: readonly RuleVersion[],
  untilMs: number,
  gridMs: number,
): OracleAlert[] {
  const alerts: OracleAlert[] = [];
  let downOpenedAt = Number.NEGATIVE_INFINITY;
  for (let now = 0; now <= untilMs; now += gridMs) {
    const rows = rowsKnown(decisions, now);
    const verdict = rows.at(-1)?.verdict ?? 'pending';
    const rules = versions.findLast(version => version.at <= now)?.rules;
    if (rules === undefined) continue;
    const unresolved = (kind: string) => alerts.find(alert => alert.kind === kind && alert.resolvedAt === null);
    const end = (alert: OracleAlert, at: number) => {
      alert.resolvedAt = Math.max(at, alert.startedAt);
    };
    if (verdict === 'deleted') {
      for (const alert of alerts) if (alert.resolvedAt === null) end(alert, now);
      continue;
    }
    const slow = unresolved('degraded');
    if (slow !== undefined && rules.degraded === null) end(slow, now);
    const good = time(rows, now, ['up', 'degraded'], ['down']);
    const isGood = verdict === 'up' || verdict === 'degraded';
    if (verdict === 'down' && unresolved('down') === undefined) {
      const down = time(rows, now, ['down'], ['up', 'degraded']);
      if (down.ms >= rules.confirm_seconds * 1000) {
        const last = alerts.findLast(alert => alert.kind === 'down');
        const since = last?.resolvedAt;
        if (last && since && rules.flap && down.from - since <= rules.flap.window_seconds * 1000) {
          last.resolvedAt = null;
          last.reopened++;
        } else alerts.push(opened('down', down.from, now));
        downOpenedAt = now;
        const degraded = unresolved('degraded');
        if (degraded !== undefined) {
          end(degraded, now);
          degraded.superseded = true;
        }
      }
    }
    const open = unresolved('down');
    if (open !== undefined && open.flappingSince === null && rules.flap !== null) {
      const { changes, window_seconds } = rules.flap;
      const began = rows.filter(row => row.verdict === 'down' && row.since >= now - window_seconds * 1000);
      open.flappingSince = began[changes - 1]?.since ?? null;
    }
    if (open !== undefined && isGood) {
      const quietMs = open.flappingSince !== null && rules.flap !== null ? rules.flap.window_seconds * 1000 : 0;
      if (good.ms >= Math.max(rules.recover_seconds * 1000, quietMs)) end(open, good.from);
    }
    const degraded = unresolved('degraded');
    if (verdict === 'up' && degraded !== undefined) {
      const up = time(rows, now, ['up'], ['down', 'degraded']);
      if (up.ms >= rules.recover_seconds * 1000) end(degraded, up.from);
    }
    if (verdict === 'degraded' && rules.degraded && !unresolved('down') && degraded === undefined) {
      const slow = time(rows, now, ['degraded'], ['up'], downOpenedAt);
      if (slow.ms >= rules.degraded.after_seconds * 1000) alerts.push(opened('degraded', slow.from, now));
    }
  }
  return alerts;
}

function opened(kind: OracleAlert['kind'], startedAt: number, openedAt: number): OracleAlert {
  return { kind, startedAt, openedAt, resolvedAt: null, flappingSince: null, superseded: false, reopened: 0 };
}

/** Each decision replaces rows with its own or a later start; one that changes nothing makes no row. */
function rowsKnown(decisions: readonly Decision[], now: number): Row[] {
  let rows: Row[] = [];
  for (const { verdict, since, decidedAt } of decisions) {
    if (decidedAt > now) break;
    rows = rows.filter(row => row.since < since);
    if (rows.at(-1)?.verdict !== verdict) rows.push({ verdict, since });
  }
  return rows;
}

/** How long the rows said one of `counting` since one of `clearing`, dropped votes or `notBefore`; and since when. */
function time(
  rows: readonly Row[],
  now: number,
  counting: readonly Verdict[],
  clearing: readonly Verdict[],
  notBefore = Number.NEGATIVE_INFINITY,
): Counted {
  const counted: Counted = { ms: 0, from: now };
  for (const [back, row] of rows.toReversed().entries()) {
    if (clearing.includes(row.verdict) || row.verdict === 'pending' || row.verdict === 'paused') break;
    if (!counting.includes(row.verdict)) continue;
    const until = rows[rows.length - back]?.since ?? now;
    const from = Math.max(row.since, notBefore);
    if (from > until || (from === until && until !== now)) break;
    counted.ms += until - from;
    counted.from = from;
  }
  return counted;
}
