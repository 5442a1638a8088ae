import { z } from 'zod';
import { fieldCodes } from '../http/problem.ts';

export const eventTypes = ['track', 'release', 'error'] as const;
export type EventType = (typeof eventTypes)[number];

/** Who sends: a server with a token, or a page that names its project. */
export type Source = 'server' | 'browser';

/** Bounds of one event. */
export const limits = {
  batch: 1000,
  /** The bucket of one address holds no more, so a larger batch would never get in. */
  browserBatch: 300,
  nameLength: 200,
  idLength: 200,
  dedupLength: 100,
  jsonBytes: 32 * 1024,
  depth: 10,
  keys: 255,
  aheadMs: 3_600_000,
  earliestMs: Date.UTC(2000, 0, 1),
} as const;

/** An event that passed every rule, ready to be stored. `props` is JSON text. */
export type NewEvent = {
  projectId: string;
  source: Source;
  id: string;
  name: string;
  type: EventType;
  actor: number | null;
  externalUserId: string | null;
  sessionId: string | null;
  props: string | null;
  timestamp: number;
  dedupId: string | null;
};

const id = z.string().min(1).max(limits.idLength).nullable().optional();

/** One event as the documentation shows it; `accept.ts` decides, item by item, and a test holds both together. */
export const eventSchema = z
  .object({
    name: z
      .string()
      .min(1)
      .max(limits.nameLength)
      .describe('1 to 200 characters after trimming, no control characters'),
    type: z.enum(['track', 'error']).optional().describe('track by default; releases are posted to /v0/releases'),
    external_user_id: id,
    session_id: id,
    props: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .describe(`at most ${limits.depth} levels and ${limits.keys} keys; the event at most 32 KiB`),
    timestamp: z
      .string()
      .nullable()
      .optional()
      .describe('RFC 3339 with Z or an offset, at most an hour ahead; now by default'),
    dedup_id: z
      .string()
      .min(1)
      .max(limits.dedupLength)
      .nullable()
      .optional()
      .describe('unique per project for 24 hours: the same again is stored once'),
  })
  .meta({ title: 'Event' });

export const eventsBodySchema = z.union([eventSchema, z.array(eventSchema).min(1).max(limits.batch)]);

/** What became of a request's events. */
export const receiptSchema = z
  .object({
    receipt_id: z.string(),
    received: z.int(),
    accepted: z.int(),
    duplicates: z.int(),
    rejected: z.int(),
    event_ids: z.array(z.string().nullable()).describe('in the order sent; null where rejected'),
    errors: z.array(
      z.object({
        index: z.int(),
        pointer: z.string(),
        code: z.enum([...fieldCodes, 'release_not_ingestible']),
        detail: z.string(),
      }),
    ),
  })
  .meta({ title: 'IngestReceipt' });
export type Receipt = z.infer<typeof receiptSchema>;
export type ItemError = Receipt['errors'][number];

export const timelineItemSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(eventTypes),
    timestamp: z.string(),
    props: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ title: 'TimelineItem' });
