import { createHash } from 'node:crypto';

/** Offset of a monitor's slots from multiples of its interval: stable, and evenly spread over all monitors. */
export function phaseMs(monitorId: string, intervalMs: number): number {
  return createHash('sha256').update(monitorId).digest().readUIntBE(0, 6) % intervalMs;
}

/**
 * Offset of one region's slots. The slots of n regions are interval/n apart, so that an outage is noticed after about
 * interval/n instead of a whole interval. Throws RangeError if the region is not one of `regions`.
 */
export function offsetMs(monitorId: string, intervalMs: number, region: string, regions: readonly string[]): number {
  const rank = regions.toSorted().indexOf(region);
  if (rank < 0) throw new RangeError(`region ${region} does not run ${monitorId}`);
  return (phaseMs(monitorId, intervalMs) + Math.floor((rank * intervalMs) / regions.length)) % intervalMs;
}

/** Start of the first slot strictly after an instant; all in milliseconds since the epoch. */
export function nextSlot(afterMs: number, intervalMs: number, offset: number): number {
  return (Math.floor((afterMs - offset) / intervalMs) + 1) * intervalMs + offset;
}

/** Number of slots that start in (afterMs, untilMs]. */
export function slotsBetween(afterMs: number, untilMs: number, intervalMs: number, offset: number): number {
  return Math.max(0, Math.floor((untilMs - offset) / intervalMs) - Math.floor((afterMs - offset) / intervalMs));
}
