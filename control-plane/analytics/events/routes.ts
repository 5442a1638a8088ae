import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint, rawEndpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { commaList, rangeParameters } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import { listArrivals } from './arrival-store.ts';
import { arrivalFilter, arrivalQuery, arrivalSchema, showArrival } from './arrivals.ts';
import { eventsBodySchema, eventTypes, limits, receiptSchema, timelineItemSchema } from './event.ts';
import { type IngestServices, ingest, ingestQuerySchema, scope } from './ingest.ts';
import { rateSchema, readRate } from './rate.ts';
import { findIngestProject } from './store.ts';
import { readTimeline, showItem } from './timeline.ts';

export function eventEndpoints(services: IngestServices): readonly Endpoint[] {
  return [
    rawEndpoint({
      method: 'post',
      path: '/v0/events',
      summary: 'Send one event or up to 1000; browsers send project_id instead of a token',
      operation: 'ingestEvents',
      tag: 'Events',
      scope,
      cors: true,
      query: ingestQuerySchema,
      body: eventsBodySchema,
      answers: { 202: receiptSchema },
      handle: received => ingest(services, received),
    }),
    arrivals,
    rate,
    timeline,
    timelineByQuery,
  ];
}

const arrivals = endpoint({
  method: 'get',
  path: '/v0/events',
  summary: 'List recently ingested events, newest first, from a range of at most an hour',
  tag: 'Events',
  scope: 'events:read',
  pool: 'reports',
  query: arrivalQuery,
  answers: { 200: listOf(arrivalSchema) },
  handle: async ({ sql, caller, query, nowMs }) => {
    const page = readPage('events', query);
    const rows = await listArrivals(sql, caller.projectId, arrivalFilter(query, nowMs), page);
    return { status: 200, body: pageOf('events', query, rows, row => [row.ingested_at, row.id], showArrival) };
  },
});

const rate = endpoint({
  method: 'get',
  path: '/v0/events/rate',
  summary: 'Get the ingestion rate, remaining limits, and refusals of the last 24 hours',
  tag: 'Events',
  scope: 'events:read',
  answers: { 200: rateSchema },
  handle: async ({ sql, caller, nowMs }) => {
    const project = await findIngestProject(sql, caller.projectId);
    if (project === null) throw new Problem('not_found');
    return { status: 200, body: await readRate(sql, project, nowMs) };
  },
});

const externalId = z.string().min(1).max(limits.idLength);
const timelineQuery = { ...pageParameters, ...rangeParameters, types: commaList(eventTypes).optional() };
const timelineOf = {
  method: 'get',
  tag: 'Events',
  scope: 'events:read',
  answers: { 200: listOf(timelineItemSchema) },
} as const;

const timeline = endpoint({
  ...timelineOf,
  path: '/v0/users/{external_id}/timeline',
  summary: 'List a user’s events, newest first',
  operation: 'getUserTimeline',
  params: z.object({ external_id: externalId }),
  query: z.strictObject(timelineQuery),
  handle: ({ params, ...request }) => answerTimeline(params.external_id, request),
});

const timelineByQuery = endpoint({
  ...timelineOf,
  path: '/v0/users/timeline',
  summary: 'List a user’s events, newest first; the user may have any id, also one that no path can have, such as `.`',
  operation: 'getUserTimelineByQuery',
  query: z.strictObject({ ...timelineQuery, external_id: externalId }),
  handle: request => answerTimeline(request.query.external_id, request),
});

type TimelineRequest = {
  sql: Sql;
  caller: Caller;
  query: z.output<z.ZodObject<typeof timelineQuery>>;
  nowMs: number;
};

async function answerTimeline(externalId: string, { sql, caller, query, nowMs }: TimelineRequest) {
  const list = `timeline of ${externalId}`;
  const page = readPage(list, query);
  const rows = await readTimeline(sql, caller.projectId, externalId, query, page, nowMs);
  return { status: 200, body: pageOf(list, query, rows, row => [row.timestamp, row.id], showItem) } as const;
}
