import { z } from 'zod';
import { type Endpoint, endpoint } from '../../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../../platform/http/endpoint/pagination.ts';
import { rangeParameters } from '../../../platform/http/endpoint/parameters.ts';
import { plannedOccurrenceSchema } from '../maintenance.ts';
import { listPlannedOccurrences } from './list-store.ts';
import { viewOccurrence } from './store.ts';

/** What a calendar shows: the occurrences of all maintenance windows in a range. */
export const occurrenceEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/maintenance-occurrences',
    operation: 'listPlannedOccurrences',
    summary: 'List the occurrences of all maintenance windows, latest start first; 90 days ahead',
    tag: 'Maintenance',
    scope: 'maintenances:read',
    query: z.strictObject({ ...pageParameters, ...rangeParameters }),
    answers: { 200: listOf(plannedOccurrenceSchema) },
    handle: async ({ sql, caller, query, nowMs }) => {
      const list = 'maintenance-occurrences';
      const range = { fromMs: query.from ?? null, toMs: query.to ?? null };
      const rows = await listPlannedOccurrences(sql, caller.projectId, range, readPage(list, query));
      const body = pageOf(
        list,
        query,
        rows,
        row => [row.starts_at, row.id],
        row => {
          const { maintenance_id, title, announced } = row;
          return { ...viewOccurrence(row, nowMs), maintenance_id, title, announced };
        },
      );
      return { status: 200, body };
    },
  }),
];
