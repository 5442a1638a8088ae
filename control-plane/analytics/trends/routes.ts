import { z } from 'zod';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { prefersType } from '../../platform/http/prefers-type.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findProject } from '../../platform/projects/store.ts';
import { lineType } from '../exports/lines.ts';
import { listNames } from './name-list-store.ts';
import { nameRange, viewNames } from './names.ts';
import { eventNameQuery, eventNameSchema, trendQuery, trendsSchema } from './schema.ts';
import { readRange, readTrends, writeTrends } from './trends.ts';

export const trendEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/event-names',
    summary: 'List names of events with their counts and users in a range, the most frequent first',
    tag: 'Events',
    scope: 'events:read',
    pool: 'reports',
    query: z.strictObject({ ...pageParameters, ...eventNameQuery }),
    answers: { 200: listOf(eventNameSchema) },
    handle: async ({ sql, caller: { projectId }, query, nowMs }) => {
      const page = readPage('event-names', query);
      const range = nameRange(query, nowMs);
      const filter = { ...range, type: query.type ?? null, part: query.q ?? null };
      const rows = await listNames(sql, projectId, filter, page);
      const views = await viewNames(sql, projectId, range, rows);
      const shown = rows.map((row, index) => ({ row, view: views[index] }));
      const keyOf = ({ row }: (typeof shown)[number]) => [row.count, row.position] as const;
      return { status: 200, body: pageOf('event-names', query, shown, keyOf, ({ view }) => view) };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/trends',
    summary: 'Count events and their users by hour, day or week, also by the values of a property',
    mediaTypes: ['application/json', lineType],
    tag: 'Events',
    scope: 'events:read',
    pool: 'reports',
    query: trendQuery,
    answers: { 200: trendsSchema },
    handle: async ({ sql, caller: { projectId }, query, nowMs, accept }) => {
      const project = await findProject(sql, projectId);
      if (project === null) throw new Problem('not_found');
      const range = readRange(query, nowMs);
      const request = { projectId, query, range, retentionDays: project.event_retention_days, nowMs };
      const headers = { Vary: 'Accept' };
      if (!prefersType(accept, [lineType], ['application/json', 'application/*', '*/*']))
        return { status: 200, headers, body: await readTrends(sql, request) };
      return { status: 200, headers, stream: { type: lineType, lines: transact => writeTrends(transact, request) } };
    },
  }),
];
