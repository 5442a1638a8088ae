import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { alertKinds } from '#shared/vocabulary.ts';
import { timestampSchema } from '../../../platform/http/endpoint/parameters.ts';
import { type AlertRules, defaultAlertRules, warningOf } from '../../monitors/alert-rules.ts';
import { movesDeadlines } from '../../monitors/heartbeats/timing.ts';
import { wholeEvents } from '../../monitors/kinds/events.ts';
import {
  effectiveTimeoutMs,
  type MonitorPatch,
  type MonitorSettings,
  monitorPatchSchema,
} from '../../monitors/monitor.ts';
import type { Rules } from '../../monitors/state/state.ts';
import { assertionChange } from './assertions.ts';
import { isReplayable } from './decide-stored.ts';
import type { ReplayedAlert } from './replay.ts';

export const backtestSchema = z.object({
  changes: monitorPatchSchema.default({}).describe('Fields of the monitor to change, as in a PATCH.'),
  from: timestampSchema.optional().describe('Start of the range, at most 29 days before `to`; by default seven.'),
  to: timestampSchema.optional().describe('End of the range; now by default.'),
  partial: z
    .boolean()
    .default(false)
    .describe('Whether to leave out changes that cannot be replayed, instead of refusing them.'),
});

const reasons = ['no_results', 'answer_not_kept', 'cut_off', 'other_slots', 'other_target'] as const;

const alertSchema = z.object({
  kind: z.enum(alertKinds),
  started_at: z.string(),
  opened_at: z.string(),
  resolved_at: z.string().nullable(),
});
const outcomeSchema = z.object({
  alerts: z.array(alertSchema),
  uptime: z.number().nullable(),
  down_seconds: z.number(),
  degraded_seconds: z.number(),
  undetermined_seconds: z.number(),
  maintenance_seconds: z.number().describe('Seconds in maintenance windows that are excluded from uptime.'),
});
export const backtestAnswerSchema = z
  .object({
    from: z.string(),
    to: z.string(),
    results: z.int().describe('Number of stored check results in the range.'),
    not_replayable: z.array(z.object({ pointer: z.string(), reason: z.enum(reasons) })),
    before: outcomeSchema,
    after: outcomeSchema
      .nullable()
      .describe('What would have happened with the new settings; null if a change cannot be replayed.'),
    diff: z
      .object({
        new: z.array(alertSchema),
        gone: z.array(alertSchema),
        moved: z.array(
          z.object({
            before: alertSchema,
            after: alertSchema,
            opened_ms: z.int().describe('How much later the alert would have opened, in milliseconds.'),
            resolved_ms: z.int().nullable().describe('How much later the alert would have resolved, in milliseconds.'),
          }),
        ),
      })
      .nullable(),
  })
  .meta({ title: 'Backtest' });
export type BacktestAnswer = z.infer<typeof backtestAnswerSchema>;
export type NotReplayable = BacktestAnswer['not_replayable'][number];

/**
 * What the stored results can say about the range; `beats` is false if they do not say what signals were expected at
 * its start.
 */
export type Kept = { regions: ReadonlySet<string>; timedOut: boolean; beats: boolean };

/** Settings that have no part in verdicts and alerts of the past. */
const without = new Set<string>([
  'name',
  'labels',
  'alert_policy',
  'component_ids',
  'enabled',
  'quorum',
  'alert_rules',
]);

/** Pure: the changes that stored results cannot answer, with the reason. Values that are already set change nothing. */
export function findNotReplayable(stored: MonitorSettings, changes: MonitorPatch, kept: Kept): NotReplayable[] {
  return Object.entries(changes).flatMap(([name, value]): NotReplayable[] => {
    const current = stored[name as keyof MonitorSettings];
    if (value === undefined || without.has(name) || isDeepStrictEqual(value, current)) return [];
    if (stored.kind === 'domain') return [{ pointer: `/${name}`, reason: 'other_target' }];
    if (stored.kind === 'events') {
      const isJudging = name === 'assertions' || (name === 'events' && countsAlike(stored, changes));
      return isJudging ? [] : [{ pointer: `/${name}`, reason: 'other_target' }];
    }
    if (stored.kind === 'heartbeat' && (name === 'heartbeat' || name === 'interval_seconds'))
      return beatFaults(name, stored, changes, kept);
    switch (name) {
      case 'regions':
        if (isDeepStrictEqual(changes.regions?.toSorted(), stored.regions.toSorted())) return [];
        return (changes.regions ?? []).flatMap((region, index) =>
          kept.regions.has(region) ? [] : [{ pointer: `/regions/${index}`, reason: 'no_results' as const }],
        );
      case 'timeout_ms': {
        const isLonger = effectiveTimeoutMs({ ...stored, ...changes } as MonitorSettings) > effectiveTimeoutMs(stored);
        return isLonger && kept.timedOut ? [{ pointer: '/timeout_ms', reason: 'cut_off' }] : [];
      }
      case 'interval_seconds':
        return [{ pointer: '/interval_seconds', reason: 'other_slots' }];
      case 'assertions':
        return assertionChange(stored.kind ?? 'http', stored.assertions, changes.assertions ?? [])
          .added.filter(({ assertion }) => !isReplayable(assertion))
          .map(({ index }) => ({ pointer: `/assertions/${index}`, reason: 'answer_not_kept' }));
      default:
        return [{ pointer: `/${name}`, reason: 'other_target' }];
    }
  });
}

/** How signals came is not stored: with `post_only` others might have counted. */
function beatFaults(
  name: 'heartbeat' | 'interval_seconds',
  stored: MonitorSettings,
  changes: MonitorPatch,
  { beats }: Kept,
): NotReplayable[] {
  if (!beats && movesDeadlines(stored, { [name]: changes[name] }))
    return [{ pointer: `/${name}`, reason: 'no_results' }];
  const isOther = name === 'heartbeat' && (changes.heartbeat?.post_only ?? false) !== stored.heartbeat?.post_only;
  return isOther ? [{ pointer: '/heartbeat/post_only', reason: 'other_target' }] : [];
}

/** Pure: the names of the changes that are left out as a whole. */
export function leftOut(notReplayable: readonly NotReplayable[]): ReadonlySet<string | undefined> {
  const whole = notReplayable.filter(({ pointer }) => !pointer.startsWith('/heartbeat/'));
  return new Set(whole.map(({ pointer }) => pointer.split('/')[1]));
}

/** Whether events are counted as before, and at most judged by another least sample. */
function countsAlike({ events: before }: MonitorSettings, { events: after }: MonitorPatch): boolean {
  if (before == null || after == null) return false;
  const { min_sample: _before, ...counted } = wholeEvents(before);
  const { min_sample: _after, ...asked } = wholeEvents(after);
  return isDeepStrictEqual(asked, counted);
}

/** Pure: a version's rules with the changes that can be replayed. */
export function changedRules(rules: Rules, stored: MonitorSettings, changes: MonitorPatch): Rules {
  const regions = changes.regions ?? rules.regions;
  const quorum = changes.quorum === undefined ? stored.quorum : changes.quorum;
  const isAsked = changes.quorum !== undefined || changes.regions !== undefined;
  const timeoutMs =
    changes.timeout_ms === undefined
      ? rules.timeoutMs
      : effectiveTimeoutMs({ ...stored, timeout_ms: changes.timeout_ms });
  return {
    ...rules,
    regions,
    timeoutMs,
    quorum: isAsked ? Math.min(quorum ?? Math.floor(regions.length / 2) + 1, regions.length) : rules.quorum,
  };
}

/** Whether the changes have a part in verdicts, and not only in alerts. */
export function changesVerdicts({ quorum, regions, timeout_ms, assertions, events }: MonitorPatch): boolean {
  return [quorum, regions, timeout_ms, assertions, events].some(value => value !== undefined);
}

/** Whether other certificates than before would warn, and so have a part in verdicts. */
export function changesWarning(stored: MonitorSettings, { alert_rules: asked }: MonitorPatch): boolean {
  if (asked === undefined) return false;
  return !isDeepStrictEqual(warningOf(asked ?? defaultAlertRules), warningOf(stored.alert_rules));
}

/** Whether the changes have a part in verdicts or alerts that can be replayed, if all that is needed is stored. */
export function changesAlerts(stored: MonitorSettings, changes: MonitorPatch): boolean {
  return changesVerdicts(changes) || movesDeadlines(stored, changes) || changes.alert_rules !== undefined;
}

/** The rules for alerts that a change asks for, null if none. */
export function askedRules({ alert_rules }: MonitorPatch, fallback: AlertRules): AlertRules | null {
  return alert_rules === undefined ? null : (alert_rules ?? fallback);
}

/** Pure: alerts are the same if they overlap and are of one kind. Those of a kind are in order and do not overlap. */
export function compareAlerts<Alert extends ReplayedAlert>(before: readonly Alert[], after: readonly Alert[]) {
  const end = ({ resolved_at }: Alert) => resolved_at ?? Number.POSITIVE_INFINITY;
  const left = new Set(before);
  const waiting = new Map(alertKinds.map(kind => [kind, { alerts: before.filter(one => one.kind === kind), next: 0 }]));
  const added: Alert[] = [];
  const moved: { before: Alert; after: Alert; opened_ms: number; resolved_ms: number | null }[] = [];
  for (const alert of after) {
    const same = takeSame(alert);
    if (same === undefined) {
      added.push(alert);
      continue;
    }
    left.delete(same);
    const resolvedMs =
      same.resolved_at === null || alert.resolved_at === null ? null : alert.resolved_at - same.resolved_at;
    const isMoved = same.opened_at !== alert.opened_at || same.resolved_at !== alert.resolved_at;
    if (isMoved)
      moved.push({ before: same, after: alert, opened_ms: alert.opened_at - same.opened_at, resolved_ms: resolvedMs });
  }
  return { new: added, gone: [...left], moved };

  /** What ended before this one began overlaps no later one either: each alert is looked at once. */
  function takeSame(alert: Alert): Alert | undefined {
    const queue = waiting.get(alert.kind);
    if (queue === undefined) return undefined;
    for (; ; queue.next += 1) {
      const other = queue.alerts[queue.next];
      if (other === undefined || other.started_at > end(alert)) return undefined;
      if (end(other) < alert.started_at) continue;
      queue.next += 1;
      return other;
    }
  }
}
