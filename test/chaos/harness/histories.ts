import { withSql } from '../../support/control-plane.ts';

/** What a site says of one monitor: each verdict with its start, and the starts of its alerts. */
export type History = { rows: { verdict: string; since: number }[]; alerts: number[] };

/** From one instant to another, in milliseconds. */
export type Span = { from: number; until: number };

/** Differences between the histories of the same monitors at two sites. */
export type Comparison = {
  outages: number;
  alerts: number;
  /** Monitors whose verdicts or starts differ. */
  historiesOff: number;
  /** The largest difference of two starts, in milliseconds. */
  startsOffMs: number;
  outagesWithoutAlert: number;
  /** Outages that began and ended while something was broken: an alert would have come after them. */
  historyOnly: number;
  /** The same with several alerts: regions whose results came later than others' seemed to fail once more. */
  alertsAgain: number;
  alertsTwice: number;
  falseAlerts: number;
  differences: string[];
};

/** Results of several regions arrive in any order within this time; a start that is off by it is left as it is. */
const toleranceMs = 1000;

/** The histories of monitors, in their order, up to an instant. Without what was before their first check. */
export function readHistories(databaseUrl: string, ids: readonly string[], untilMs: number): Promise<History[]> {
  return withSql(databaseUrl, async sql => {
    const rows = await sql.rows<{ monitor_id: string; verdict: string; since: number }>`
      select monitor_id, verdict, since
      from verdict_changes
      where monitor_id = any(${[...ids]}::text[]) and verdict <> 'pending'
      order by since`;
    const alerts = await sql.rows<{ monitor_id: string; started_at: number }>`
      select monitor_id, started_at
      from alerts
      where monitor_id = any(${[...ids]}::text[])
      order by started_at`;
    return ids.map(id => ({
      rows: rows.filter(row => row.monitor_id === id && row.since <= untilMs),
      alerts: alerts.filter(row => row.monitor_id === id).map(row => row.started_at),
    }));
  });
}

/** How many monitors have a history that is to be computed again. */
export async function countReplays(databaseUrl: string, ids: readonly string[]): Promise<number> {
  const row = await withSql(
    databaseUrl,
    sql => sql.row<{ count: number }>`
      select count(*) as count
      from monitor_states
      where monitor_id = any(${[...ids]}::text[]) and replay_from is not null`,
  );
  return row?.count ?? Number.NaN;
}

/** Pure: compares what happened at a site with faults with the same at one without. */
export function compareHistories(
  wanted: readonly History[],
  found: readonly History[],
  faults: readonly Span[],
): Comparison {
  const result: Comparison = {
    outages: 0,
    alerts: found.reduce((sum, { alerts }) => sum + alerts.length, 0),
    historiesOff: 0,
    startsOffMs: 0,
    outagesWithoutAlert: 0,
    historyOnly: 0,
    alertsAgain: 0,
    alertsTwice: 0,
    falseAlerts: 0,
    differences: [],
  };
  const broken = joined(faults);
  for (const [index, history] of wanted.entries()) {
    const other = found[index] ?? { rows: [], alerts: [] };
    compareRows(result, index, history, other);
    compareAlerts(result, index, history, other, broken);
  }
  return result;
}

/** Spans in order of time; those that overlap as one. */
function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (last !== undefined && span.from <= last.until) last.until = Math.max(last.until, span.until);
    else result.push({ ...span });
  }
  return result;
}

function compareRows(result: Comparison, index: number, { rows }: History, other: History): void {
  const offMs = rows.map((row, at) => Math.abs(row.since - (other.rows[at]?.since ?? Number.POSITIVE_INFINITY)));
  const isSame =
    rows.length === other.rows.length &&
    rows.every((row, at) => row.verdict === other.rows[at]?.verdict && (offMs[at] ?? 0) <= toleranceMs);
  if (isSame) {
    result.startsOffMs = Math.max(result.startsOffMs, ...offMs);
    return;
  }
  result.historiesOff += 1;
  const show = (list: History['rows']) => list.map(({ verdict, since }) => `${verdict} ${since}`).join(', ');
  result.differences.push(`monitor ${index}: wanted ${show(rows)}; found ${show(other.rows)}`);
}

function compareAlerts(
  result: Comparison,
  index: number,
  { rows }: History,
  { alerts }: History,
  broken: readonly Span[],
): void {
  const outages = rows.flatMap((row, at) =>
    row.verdict === 'down' ? [{ from: row.since, until: rows[at + 1]?.since ?? Number.POSITIVE_INFINITY }] : [],
  );
  result.outages += outages.length;
  let matched = 0;
  for (const { from, until } of outages) {
    const count = alerts.filter(at => at >= from - toleranceMs && at < until).length;
    matched += count;
    if (count === 1) continue;
    const isWithin = broken.some(span => from >= span.from - toleranceMs && until <= span.until);
    if (isWithin) result[count > 1 ? 'alertsAgain' : 'historyOnly'] += 1;
    else result[count > 1 ? 'alertsTwice' : 'outagesWithoutAlert'] += 1;
    if (count > 1 || !isWithin) result.differences.push(`monitor ${index}: ${count} alerts of ${from} to ${until}`);
  }
  result.falseAlerts += alerts.length - matched;
  if (alerts.length > matched) result.differences.push(`monitor ${index}: alerts ${alerts.join(', ')}`);
}
