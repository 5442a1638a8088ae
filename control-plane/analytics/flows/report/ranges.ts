import { hourMs } from '#shared/duration.ts';
import { ceilHour, floorHour, hoursIn, isFullyRetained } from '../roll-up/dirty-hours.ts';

/** A part of a report's range, and whether it is read from raw events or from the roll-up. */
export type PlannedRange = { fromMs: number; toMs: number; source: 'raw' | 'hourly' };

export type RangeRequest = {
  fromMs: number;
  toMs: number;
  /** Events that arrived earlier are past their retention. */
  rawFromMs: number;
  /** Hours whose roll-up is out of date; 'all' while the version is not backfilled. */
  dirtyHours: readonly number[] | 'all';
  source: 'auto' | 'raw' | 'hourly';
};

/**
 * Plans how a range is read, ascending: whole hours from the roll-up unless they are dirty, the rest raw. Where the raw
 * events of a partial hour are gone, the whole hour is read instead: the range grows to its ends.
 */
export function planRanges({ fromMs, toMs, rawFromMs, dirtyHours, source }: RangeRequest): PlannedRange[] {
  if (source === 'raw' || fromMs >= toMs) return [{ fromMs, toMs, source: 'raw' }];
  if (source === 'hourly') return [{ fromMs: floorHour(fromMs), toMs: ceilHour(toMs), source: 'hourly' }];
  const dirty = new Set(dirtyHours === 'all' ? hoursIn(fromMs, toMs) : dirtyHours);
  const ranges: PlannedRange[] = [];
  for (const hour of hoursIn(fromMs, toMs)) {
    const isWhole = hour >= fromMs && hour + hourMs <= toMs;
    const isRaw = isFullyRetained(hour, rawFromMs) && (!isWhole || dirty.has(hour));
    const next: PlannedRange = isRaw
      ? { fromMs: Math.max(hour, fromMs), toMs: Math.min(hour + hourMs, toMs), source: 'raw' }
      : { fromMs: hour, toMs: hour + hourMs, source: 'hourly' };
    const last = ranges.at(-1);
    if (last?.source === next.source && last.toMs === next.fromMs) last.toMs = next.toMs;
    else ranges.push(next);
  }
  return ranges;
}
