import fc from 'fast-check';
import { toTimestamp } from '#shared/clock.ts';
import type { SentEvent } from './funnel.ts';
import type { TrendWorld } from './trend-world.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** An event of somebody or nobody in [fromMs, toMs), up to three days late or an hour early, perhaps sent twice. */
export function sentBetween(fromMs: number, toMs: number) {
  return fc.record({
    name: fc.constantFrom('buy', 'view', '[odd]'),
    user: fc.constantFrom('a', 'b', 'c', 'd', null),
    atMs: fc.integer({ min: fromMs, max: toMs - 1 }),
    lateMs: fc.oneof(fc.constant(0), fc.integer({ min: -hourMs, max: 3 * dayMs })),
    isError: fc.boolean(),
    isRepeated: fc.boolean(),
  });
}

type Sent = ReturnType<typeof sentBetween> extends fc.Arbitrary<infer Event> ? Event : never;

/** Stores a stream as it arrives, a commit for each six hours, and counts now and then. Returns its events. */
export async function deliver(world: TrendWorld, stream: readonly Sent[], nowMs: number): Promise<SentEvent[]> {
  const events: (SentEvent & { arrivedMs: number })[] = stream.map(
    ({ name, user, atMs, lateMs, isError, isRepeated }, n) => ({
      name,
      user,
      atMs,
      arrivedMs: atMs + lateMs,
      ...(isError ? { type: 'error' as const } : {}),
      ...(isRepeated ? { key: `key ${n}` } : {}),
    }),
  );
  const batches = Map.groupBy(events, event => Math.floor(event.arrivedMs / (6 * hourMs)));
  for (const [slot, batch] of batches) {
    await world.store(batch, (slot + 1) * 6 * hourMs);
    const again = batch.filter(event => event.key !== undefined);
    if (again.length > 0) await world.store(again, (slot + 1) * 6 * hourMs + 1);
    if (slot % 3 === 0) await world.count(nowMs);
  }
  await world.count(nowMs);
  return events;
}

/** The bucket of an instant, independent of the code under test: dates by Intl, and Mondays by counting back. */
export function labels(granularity: string, timezone: string): (atMs: number) => string {
  if (granularity === 'hour') return atMs => toTimestamp(Math.floor(atMs / hourMs) * hourMs);
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone });
  return atMs => {
    const date = format.format(atMs);
    if (granularity === 'day') return date;
    const day = new Date(`${date}T00:00:00Z`);
    return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10);
  };
}
