import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { bucketsOf } from './limits.ts';
import type { IngestProject } from './store.ts';
import { listTallies, readLevels, type TallyRow } from './tally-store.ts';

const count = z.int().min(0);
const bucketSchema = z.object({ capacity: count, available: count });
const sumSchema = z.object({ stored: count, known: count, refused: count });
const minutesShown = 60;

export const rateSchema = z
  .object({
    limits: z.object({ sustained_per_second: count, burst_per_second: count, burst_seconds: count }),
    sustained: bucketSchema.describe('Budget for events that may be sent before the sustained limit applies.'),
    peak: bucketSchema.describe('Budget for events that may be sent at once.'),
    bytes_today: z
      .object({ used: count, maximum: count, resets_at: z.string() })
      .describe('Bytes received and allowed in the current UTC day.'),
    minutes: z
      .array(sumSchema.extend({ at: z.string() }))
      .describe(`Events of each of the last ${minutesShown} minutes, oldest first, up to a few seconds ago.`),
    last_24_hours: sumSchema,
    refusals: z
      .array(z.object({ code: z.string(), events: count, last_at: z.string() }))
      .describe('Refused events of the last 24 hours by code, most frequent first.'),
  })
  .meta({ title: 'EventRate' });
export type RateView = z.infer<typeof rateSchema>;

/** How fast events arrive, what is left of the limits, and what was refused. */
export async function readRate(sql: Sql, project: IngestProject, nowMs: number): Promise<RateView> {
  const charged = { projectId: project.id, source: 'server', address: '', nowMs } as const;
  const buckets = bucketsOf(charged, { events: 0, bytes: 0 }, project);
  const [sustained = 0, peak = 0, bytes = 0] = await readLevels(sql, buckets);
  const level = (index: number, tokens: number) => ({
    capacity: Math.floor(buckets[index]?.capacity ?? 0),
    available: Math.max(0, Math.floor(tokens)),
  });
  const rows = await listTallies(sql, project.id, nowMs - dayMs);
  const { sustained_per_second, burst_per_second, burst_seconds } = project;
  return {
    limits: { sustained_per_second, burst_per_second, burst_seconds },
    sustained: level(0, sustained),
    peak: level(1, peak),
    bytes_today: {
      used: Math.max(0, Math.round(-bytes)),
      maximum: project.event_bytes_per_day,
      resets_at: toTimestamp(Math.floor(nowMs / dayMs + 1) * dayMs),
    },
    minutes: minutesOf(rows, nowMs),
    last_24_hours: sumOf(rows),
    refusals: refusalsOf(rows),
  };
}

/** One item for each minute, also where nothing arrived. */
function minutesOf(rows: readonly TallyRow[], nowMs: number): RateView['minutes'] {
  const byMinute = Map.groupBy(rows, row => row.minute);
  const lastMs = Math.floor(nowMs / minuteMs) * minuteMs;
  return Array.from({ length: minutesShown }, (_, index) => {
    const atMs = lastMs - (minutesShown - 1 - index) * minuteMs;
    return { at: toTimestamp(atMs), ...sumOf(byMinute.get(atMs) ?? []) };
  });
}

function sumOf(rows: readonly TallyRow[]): RateView['last_24_hours'] {
  const sum = { stored: 0, known: 0, refused: 0 };
  for (const { outcome, events } of rows) sum[kindOf(outcome)] += events;
  return sum;
}

function kindOf(outcome: string): keyof RateView['last_24_hours'] {
  return outcome === 'stored' || outcome === 'known' ? outcome : 'refused';
}

function refusalsOf(rows: readonly TallyRow[]): RateView['refusals'] {
  const refused = Map.groupBy(
    rows.filter(({ outcome }) => kindOf(outcome) === 'refused'),
    ({ outcome }) => outcome,
  );
  return [...refused]
    .map(([code, found]) => ({
      code,
      events: found.reduce((sum, { events }) => sum + events, 0),
      last_at: toTimestamp(Math.max(...found.map(({ minute }) => minute))),
    }))
    .sort((left, right) => right.events - left.events);
}
