import { z } from 'zod';
import { hourMs } from '#shared/duration.ts';
import { fieldCodes } from '../../platform/http/problem.ts';

export const eventTypes = ['track', 'release', 'error', 'identify'] as const;
export type EventType = (typeof eventTypes)[number];

/** Who sends: a server with a token, or a browser page that names its project. */
export type Source = 'server' | 'browser';

/** Bounds of one event. */
export const limits = {
  batch: 1000,
  /** The capacity of one address's bucket: a larger batch would never be granted. */
  browserBatch: 300,
  nameLength: 200,
  idLength: 200,
  dedupLength: 100,
  jsonBytes: 32 * 1024,
  /** Anyone can pose as a page. */
  browserJsonBytes: 4 * 1024,
  depth: 10,
  keys: 255,
  aheadMs: hourMs,
  earliestMs: Date.UTC(2000, 0, 1),
} as const;

/** Not allowed in names of events and releases. */
export const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** A valid event, ready to be stored. `props` is JSON text; `actor` is who funnels count, null for nobody. */
export type NewEvent = {
  projectId: string;
  source: Source;
  id: string;
  name: string;
  type: EventType;
  actor: number | null;
  externalUserId: string | null;
  sessionId: string | null;
  /** Who the session is without a user: only of an event that names both, in a project that links sessions. */
  sessionActor?: number;
  props: string | null;
  timestamp: number;
  dedupId: string | null;
};

const id = z.string().min(1).max(limits.idLength).nullable().optional();

/** One event as documented. `accept.ts` decides item by item; a test proves that both agree. */
export const eventSchema = z
  .object({
    name: z
      .string()
      .min(1)
      .max(limits.nameLength)
      .describe('Name of 1 to 200 characters after trimming, without control characters.'),
    type: z
      .enum(['track', 'error'])
      .optional()
      .describe('Type of the event; `track` by default. Create releases with `POST /v0/releases`.'),
    external_user_id: id,
    session_id: id,
    props: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .describe(
        `Properties, at most ${limits.depth} levels and ${limits.keys} keys; at most 32 KiB for the event, 4 ` +
          'KiB from a page.',
      ),
    timestamp: z
      .string()
      .meta({ format: 'date-time' })
      .nullable()
      .optional()
      .describe('Time of the event, at most an hour in the future; now by default.'),
    dedup_id: z
      .string()
      .min(1)
      .max(limits.dedupLength)
      .nullable()
      .optional()
      .describe('Idempotency key of the event: an event with the same key is stored once in 24 hours.'),
  })
  .meta({ title: 'Event' });

/** Says whose session it is. */
export const identifySchema = z
  .object({
    ...eventSchema.shape,
    name: eventSchema.shape.name.optional().describe('Name of the event; `identify` by default.'),
    type: z
      .literal('identify')
      .describe('Says which user a session belongs to; `props` are what is known of the user.'),
    external_user_id: z.string().min(1).max(limits.idLength),
    session_id: z.string().min(1).max(limits.idLength),
  })
  .meta({ title: 'IdentifyEvent' });

const itemSchema = z.union([eventSchema, identifySchema]);
export const eventsBodySchema = z.union([itemSchema, z.array(itemSchema).min(1).max(limits.batch)]);

/** What happened to each event of a request. */
export const receiptSchema = z
  .object({
    receipt_id: z.string(),
    received: z.int(),
    accepted: z.int(),
    duplicates: z.int(),
    rejected: z.int(),
    event_ids: z
      .array(z.string().nullable())
      .describe('IDs of the events in the order sent; null for rejected events.'),
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
    session_id: z.string().optional().describe('ID of the session; null if the event has none.'),
    linked: z
      .literal(true)
      .optional()
      .describe('The event names no user, but its session does: see `link_sessions` of the project.'),
  })
  .meta({ title: 'TimelineItem' });
