import { ceilHour, floorHour, hourMs, hoursIn, isWhollyKept } from './hours.ts';

/** A piece of a report's range and where it is read. */
export type Part = { fromMs: number; toMs: number; from: 'raw' | 'hourly' };

/**
 * How a range is read: hours that lie wholly in it from the roll-up, unless they are marked to be computed again; the rest
 * raw. Where the raw events of a piece of an hour are gone, the whole hour stands for it: the range grows to its ends.
 */
export function planParts(wanted: {
  fromMs: number;
  toMs: number;
  rawFromMs: number;
  marked: readonly number[] | 'all';
  source: 'auto' | 'raw' | 'hourly';
}): Part[] {
  const { fromMs, toMs, rawFromMs, source } = wanted;
  if (source === 'raw' || fromMs >= toMs) return [{ fromMs, toMs, from: 'raw' }];
  if (source === 'hourly') return [{ fromMs: floorHour(fromMs), toMs: ceilHour(toMs), from: 'hourly' }];
  const marked = new Set(wanted.marked === 'all' ? hoursIn(fromMs, toMs) : wanted.marked);
  const parts: Part[] = [];
  for (const hour of hoursIn(fromMs, toMs)) {
    const whole = hour >= fromMs && hour + hourMs <= toMs;
    const raw = isWhollyKept(hour, rawFromMs) && (!whole || marked.has(hour));
    const piece: Part = raw
      ? { fromMs: Math.max(hour, fromMs), toMs: Math.min(hour + hourMs, toMs), from: 'raw' }
      : { fromMs: hour, toMs: hour + hourMs, from: 'hourly' };
    const last = parts.at(-1);
    if (last?.from === piece.from && last.toMs === piece.fromMs) last.toMs = piece.toMs;
    else parts.push(piece);
  }
  return parts;
}
