import { z } from 'zod';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { isId, timeOfId } from '#shared/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { refuseTurnedRange } from '../../platform/http/endpoint/pagination.ts';
import { commaList, timestampSchema } from '../../platform/http/endpoint/parameters.ts';
import { prefersType } from '../../platform/http/prefers-type.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findProject } from '../../platform/projects/store.ts';
import { actorOf } from '../events/actor.ts';
import { arrivalSchema } from '../events/arrivals.ts';
import { eventTypes, limits } from '../events/event.ts';
import { type ExportPosition, findPosition } from './export-store.ts';
import { csv, csvType, lineType, ndjson } from './lines.ts';
import { inPlace, takeExportPlace } from './place.ts';
import { readRange, readUser, writeEvents } from './stream.ts';

const rangeMaxMs = 92 * dayMs;
/** Clocks of replicas differ: an event may have arrived a little before its id was made. */
const clocksApartMs = minuteMs;

/** What is exported of events. `sql`: of the process, for what outlives a request's transaction. */
export function exportEndpoints(sql: Sql): readonly Endpoint[] {
  return [exportOfRange(sql), exportOfUser];
}

const exportOfRange = (processSql: Sql) =>
  endpoint({
    method: 'get',
    path: '/v0/events/export',
    summary: 'Export the events of a range of time, oldest first; with `Accept: text/csv` as CSV',
    operation: 'exportEvents',
    tag: 'Events',
    scope: 'events:read',
    pool: 'reports',
    query: z.strictObject({
      from: timestampSchema.describe('Start of the range, by `timestamp`.'),
      to: timestampSchema.describe('End of the range, at most 92 days after `from`.'),
      types: commaList(eventTypes).describe('Types of events; `track` and `error` by default.').optional(),
      name: z.string().min(1).max(limits.nameLength).optional(),
      after: z
        .string()
        .max(100)
        .describe('ID of the last event of an export that broke off: this one goes on after it.')
        .optional(),
    }),
    answers: { 200: arrivalSchema },
    mediaTypes: [lineType, csvType],
    handle: async ({ sql, caller: { projectId }, query, accept, nowMs }) => {
      refuseTurnedRange(query);
      if (query.to - query.from > rangeMaxMs)
        throw refusal('from', 'out_of_range', 'must be at most 92 days before to');
      const keptMs = await keptFrom(sql, projectId, nowMs);
      const start = query.after === undefined ? null : await positionOf(sql, projectId, query.after, keptMs);
      const { from: fromMs, to: toMs, types = ['track', 'error'], name = null } = query;
      const arrivedMs = Math.max(keptMs, fromMs - limits.aheadMs);
      const range = { projectId, arrivedMs, fromMs, toMs, types, name };
      const after = start !== null && start.timestamp < fromMs ? null : start;
      const isCsv = prefersType(accept, [csvType, 'text/*'], [lineType, 'application/*', '*/*']);
      const place = await takeExportPlace(processSql, projectId);
      return {
        status: 200,
        headers: { Vary: 'Accept' },
        stream: {
          type: isCsv ? csvType : lineType,
          lines: transact => writeEvents(isCsv ? csv : ndjson, inPlace(place, readRange(transact, range, after))),
        },
      };
    },
  });

const exportOfUser = endpoint({
  method: 'get',
  path: '/v0/users/{external_id}/export',
  summary: 'Export all stored events of a user, oldest first',
  operation: 'exportUser',
  tag: 'Events',
  scope: 'users:read',
  pool: 'reports',
  params: z.object({ external_id: z.string().min(1).max(limits.idLength) }),
  answers: { 200: arrivalSchema },
  mediaTypes: [lineType],
  handle: async ({ sql, caller: { projectId }, params: { external_id: externalId }, nowMs }) => {
    const arrivedMs = await keptFrom(sql, projectId, nowMs);
    const user = { projectId, externalId, actor: actorOf(externalId, null) ?? 0, arrivedMs };
    return {
      status: 200,
      stream: { type: lineType, lines: transact => writeEvents(ndjson, readUser(transact, user)) },
    };
  },
});

/** Events that arrived earlier are past their retention, though they may still be there. */
async function keptFrom(sql: Sql, projectId: string, nowMs: number): Promise<number> {
  const project = await findProject(sql, projectId);
  if (project === null) throw new Problem('not_found');
  return nowMs - project.event_retention_days * dayMs;
}

async function positionOf(sql: Sql, projectId: string, id: string, keptMs: number): Promise<ExportPosition> {
  if (!isId('evt', id)) throw refusal('after', 'format', 'must be the id of an event');
  const found = await findPosition(sql, projectId, id, Math.max(keptMs, timeOfId(id) - clocksApartMs));
  if (found === null) throw refusal('after', 'unknown_reference', 'must be the id of an event that is still stored');
  return found;
}

function refusal(parameter: string, code: 'out_of_range' | 'format' | 'unknown_reference', detail: string): Problem {
  return new Problem('invalid_parameter', { detail: `${parameter} ${detail}`, errors: [{ parameter, code, detail }] });
}
