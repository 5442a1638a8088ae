import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { severities } from '#shared/vocabulary.ts';
import { type BacktestAnswer, backtestAnswerSchema } from '../../monitoring/alerts/backtest/backtest.ts';

/** How far back a plan looks, by the word of its request. */
export const backtestDays = { none: 0, '24h': 1, '7d': 7 } as const;

const skipReasons = ['busy', 'too_many', 'too_large', 'time'] as const;
export type SkipReason = (typeof skipReasons)[number];

const alertSchema = backtestAnswerSchema.shape.before.shape.alerts.element.extend({
  monitor_key: z.string().describe('Key of the monitor in the documents.'),
  alert_id: z.string().nullable().describe('ID of the alert; null if it never opened.'),
  severity: z.enum(severities).nullable().describe('Severity of the alert; null if it is not known.'),
});
export type PlannedAlert = z.infer<typeof alertSchema>;

const movedSchema = alertSchema.extend({
  opened_ms: z.int().describe('How much later the alert would have opened, in milliseconds.'),
  resolved_ms: z.int().nullable().describe('How much later the alert would have resolved, in milliseconds.'),
});

/** The alerts of the past that the changes of a plan would have added, missed or moved. */
export const planBacktestSchema = z
  .object({
    days: z.int().describe('How far back the plan looked, in days.'),
    monitors: z.int().describe('Number of monitors that were judged again.'),
    skipped: z.int().describe('Number of monitors that were not; their actions say why.'),
    new: z.array(alertSchema).describe('Alerts that would have opened, and did not.'),
    gone: z.array(alertSchema).describe('Alerts that would not have opened.'),
    moved: z.array(movedSchema).describe('Alerts that would have opened or resolved at another time.'),
    uptime: z
      .array(
        z.object({
          monitor_key: z.string().describe('Key of the monitor in the documents.'),
          before: z.number().nullable().describe('Uptime as it was, from 0 to 1; null if nothing is known.'),
          after: z.number().nullable().describe('Uptime as it would have been, from 0 to 1; null if it is not known.'),
        }),
      )
      .describe('Monitors whose uptime would have differed.'),
  })
  .meta({ title: 'ConfigBacktest' });
export type PlanBacktest = z.infer<typeof planBacktestSchema>;

/** What became of the back-test of one action. */
export const actionBacktestSchema = z
  .union([
    z.object({ skipped: z.enum(skipReasons).describe('Why the monitor was not judged again.') }),
    backtestAnswerSchema,
  ])
  .nullable();
export type ActionBacktest = z.infer<typeof actionBacktestSchema>;

/** Members of a monitor that have no part in verdicts and alerts. */
const unjudged = new Set(['name', 'labels', 'alert_policy', 'component_ids', 'enabled', 'position']);

/**
 * Pure: the changes of a monitor that count for judging; null if it is not checked any more, and so has no alerts.
 * Undefined if nothing counts.
 */
export function judgedChanges(
  patch: Readonly<Record<string, unknown>>,
  pointers: readonly string[],
): Readonly<Record<string, unknown>> | null | undefined {
  const names = pointers
    .map(pointer => pointer.split('/')[1] ?? '')
    .map(name => (name.startsWith('url_') ? 'url' : name));
  if (names.includes('enabled') && patch.enabled === false) return null;
  const judged = [...new Set(names)].filter(name => !unjudged.has(name) && Object.hasOwn(patch, name));
  return judged.length === 0 ? undefined : Object.fromEntries(judged.map(name => [name, patch[name]]));
}

/** An alert as it was stored. */
export type StoredAlert = {
  id: string;
  kind: PlannedAlert['kind'];
  severity: PlannedAlert['severity'];
  started_at: number;
  opened_at: number;
  resolved_at: number | null;
};

function storedAlert(key: string, alert: StoredAlert): PlannedAlert {
  const { id, kind, severity, started_at, opened_at, resolved_at } = alert;
  return {
    kind,
    severity,
    monitor_key: key,
    alert_id: id,
    started_at: toTimestamp(started_at),
    opened_at: toTimestamp(opened_at),
    resolved_at: resolved_at === null ? null : toTimestamp(resolved_at),
  };
}

/** Pure: adds what one monitor's back-test says to that of the plan. `isGone`: it is not checked any more. */
export function addMonitor(
  plan: PlanBacktest,
  { key, severity, isGone }: { key: string; severity: PlannedAlert['severity']; isGone: boolean },
  answer: BacktestAnswer,
  stored: readonly StoredAlert[],
): void {
  plan.monitors += 1;
  type Alert = BacktestAnswer['before']['alerts'][number];
  const find = ({ kind, opened_at, started_at }: Alert) =>
    stored.find(one => one.kind === kind && one.opened_at === Date.parse(opened_at)) ??
    stored.find(one => one.kind === kind && one.started_at === Date.parse(started_at));
  const known = (alert: Alert): PlannedAlert => {
    const found = find(alert);
    return { ...alert, monitor_key: key, alert_id: found?.id ?? null, severity: found?.severity ?? null };
  };
  if (isGone) {
    plan.gone.push(...stored.map(alert => storedAlert(key, alert)));
    return;
  }
  const { diff, before, after } = answer;
  for (const alert of diff?.new ?? [])
    plan.new.push({ ...alert, monitor_key: key, alert_id: null, severity: alert.kind === 'down' ? severity : null });
  plan.gone.push(...(diff?.gone ?? []).map(known));
  for (const { before: was, after: becomes, opened_ms, resolved_ms } of diff?.moved ?? []) {
    const { alert_id, severity: its } = known(was);
    plan.moved.push({ ...becomes, monitor_key: key, alert_id, severity: its, opened_ms, resolved_ms });
  }
  if (after !== null && before.uptime !== after.uptime)
    plan.uptime.push({ monitor_key: key, before: before.uptime, after: after.uptime });
}
