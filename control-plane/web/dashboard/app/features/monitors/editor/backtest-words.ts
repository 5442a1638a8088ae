import { plural } from '../../../kit/plural.ts';
import type { Backtest } from '../../../session/api-types.ts';
import { formatLongDuration } from '../../../session/time.ts';

type ReplayedAlert = Backtest['before']['alerts'][number];
/** What the changed settings do to one alert. */
export type BacktestRow = { change: 'new' | 'gone' | 'moved'; alert: ReplayedAlert; detail: string };

const reasons: Readonly<Record<Backtest['not_replayable'][number]['reason'], string>> = {
  no_results: 'there are no results of this region',
  answer_not_kept: 'the answers it needs are not stored',
  cut_off: 'longer checks were cut off by the old timeout',
  other_slots: 'another interval would have checked at other times',
  other_target: 'another request would have got other answers',
};

/** `With these settings the last 7 days would have had 2 alerts instead of 9.` */
export function describeBacktest({ from, to, before, after, diff, results }: Backtest): string {
  if (results === 0) return 'There are no results to evaluate yet.';
  const span = describeSpan(Date.parse(to) - Date.parse(from));
  if (after === null || diff === null) return `There is not enough stored data to replay the ${span}.`;
  const [old, now] = [before.alerts.length, after.alerts.length];
  const isSame = diff.new.length + diff.gone.length + diff.moved.length === 0;
  if (isSame) return `With these settings the ${span} would have had the same ${plural(old, 'alert')}.`;
  if (old === now)
    return `With these settings the ${span} would also have had ${plural(now, 'alert')}, but at other times.`;
  return `With these settings the ${span} would have had ${plural(now, 'alert')} instead of ${old}.`;
}

function describeSpan(ms: number): string {
  const days = Math.round(ms / 86_400_000);
  return days > 1 ? `last ${days} days` : 'last 24 hours';
}

/** Each alert that would be another, latest first. */
export function backtestRows({ diff }: Pick<Backtest, 'diff'>): BacktestRow[] {
  if (diff === null) return [];
  const rows: BacktestRow[] = [
    ...diff.new.map(alert => ({ change: 'new' as const, alert, detail: describeAlert(alert) })),
    ...diff.gone.map(alert => ({ change: 'gone' as const, alert, detail: describeAlert(alert) })),
    ...diff.moved.map(({ after, opened_ms, resolved_ms }) => ({
      change: 'moved' as const,
      alert: after,
      detail: [describeShift('opens', opened_ms), describeShift('resolves', resolved_ms)].filter(Boolean).join(', '),
    })),
  ];
  return rows.sort((left, right) => right.alert.opened_at.localeCompare(left.alert.opened_at));
}

function describeAlert({ kind, started_at, resolved_at }: ReplayedAlert): string {
  if (resolved_at === null) return `${kind}, still open`;
  return `${kind} for ${formatLongDuration(Date.parse(resolved_at) - Date.parse(started_at))}`;
}

function describeShift(verb: string, ms: number | null): string {
  if (ms === null || ms === 0) return '';
  return `${verb} ${formatLongDuration(Math.abs(ms))} ${ms > 0 ? 'later' : 'earlier'}`;
}

/** Of a heartbeat: what it was waiting for at the start follows from the signals before. */
const ofSignals: Readonly<Record<string, string>> = {
  '/heartbeat no_results': 'Schedule: the signals it begins with are not stored any more',
  '/interval_seconds no_results': 'Interval seconds: the signals it begins with are not stored any more',
  '/heartbeat/post_only other_target': 'POST alone: how signals came is not stored',
};

/** `Assertion 2: the answers it needs are not stored`. */
export function describeNotReplayable({ pointer, reason }: Backtest['not_replayable'][number]): string {
  const known = ofSignals[`${pointer} ${reason}`];
  if (known !== undefined) return known;
  const [, field = '', index] = pointer.split('/');
  const name = field.replaceAll('_', ' ');
  const place = index === undefined ? name : `${name.replace(/s$/, '')} ${Number(index) + 1}`;
  return `${place.charAt(0).toUpperCase()}${place.slice(1)}: ${reasons[reason] ?? reason}`;
}
