import { z } from 'zod';
import { type Endpoint, endpoint, receivingEndpoint } from '../http/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../http/pagination.ts';
import { commaList, rangeParameters } from '../http/parameters.ts';
import { eventsBodySchema, eventTypes, limits, receiptSchema, timelineItemSchema } from './event.ts';
import { type IngestServices, ingest, ingestQuerySchema, scope } from './ingest.ts';
import { readTimeline, showItem } from './timeline.ts';

export function eventEndpoints(services: IngestServices): readonly Endpoint[] {
  return [
    receivingEndpoint({
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
      receive: received => ingest(services, received),
    }),
    timeline,
  ];
}

const timeline = endpoint({
  method: 'get',
  path: '/v0/users/{external_id}/timeline',
  summary: 'List a user’s events, newest first',
  operation: 'getUserTimeline',
  tag: 'Events',
  scope: 'events:read',
  params: z.object({ external_id: z.string().min(1).max(limits.idLength) }),
  query: z.strictObject({
    ...pageParameters,
    ...rangeParameters,
    types: commaList(eventTypes).optional(),
  }),
  answers: { 200: listOf(timelineItemSchema) },
  handle: async ({ sql, caller, params, query, nowMs }) => {
    const list = `timeline of ${params.external_id}`;
    const page = readPage(list, query);
    const rows = await readTimeline(sql, caller.projectId, params.external_id, query, page, nowMs);
    return { status: 200, body: pageOf(list, query, rows, row => [row.timestamp, row.id], showItem) };
  },
});
