import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Endpoint, endpoint } from '../../../platform/http/endpoint/endpoint.ts';
import { rangeParameters } from '../../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { typeAskedBy } from '../../monitors/kinds/dns.ts';
import { revivalDays } from '../../monitors/monitor.ts';
import { monitorParams } from '../../monitors/routes.ts';
import { findUrl } from '../../monitors/store.ts';
import { sumPings } from './ping-store.ts';
import { newestResults } from './range-store.ts';
import { readAnswers } from './read-answers.ts';

/** What one call reads: some seconds of the database's time at most. */
const pingsMax = 50_000;
const answersReadMax = 30_000;
const setsMax = 200;
const bucketsMax = 300;
const bucketLengths = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 3 * hourMs, 6 * hourMs, dayMs];

const completeFrom = z
  .string()
  .describe('Since when all results are counted: `from`, or later where a call would read too many results.');

const pingsSchema = z
  .object({
    bucket_seconds: z.int().describe('Length of the buckets.'),
    complete_from: completeFrom,
    data: z
      .array(
        z.object({
          bucket: z.string().describe('Start of the bucket.'),
          region: z.string().describe('Code of the region.'),
          sent: z.int().describe('Packets sent.'),
          received: z.int().describe('Replies received.'),
          jitter_ms: z
            .number()
            .nullable()
            .describe('Mean of the jitter of the checks; null where none had two replies.'),
        }),
      )
      .describe('Buckets in which packets were sent, oldest first.'),
  })
  .meta({ title: 'PingFigures' });

const answersSchema = z
  .object({
    complete_from: completeFrom,
    data: z
      .array(
        z.object({
          region: z.string().describe('Code of the region.'),
          first_at: z.string().describe('First check that was answered with it.'),
          last_at: z.string().describe('Last check in a row that was answered with it.'),
          rcode: z.string().describe('Response code of the server, such as `NOERROR`.'),
          type: z.string().describe('Type of the records.'),
          records: z.array(z.string()).describe('Data of the records, sorted; without their TTL.'),
          truncated: z.boolean().describe('Whether there were more records than are kept.'),
        }),
      )
      .describe('Sets of records, oldest first.'),
  })
  .meta({ title: 'DnsAnswers' });

export const overTimeEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/monitors/{id}/ping-figures',
    summary: 'Get packet loss and jitter over time, by region',
    operation: 'getPingFigures',
    tag: 'Checks',
    scope: 'monitors:read',
    pool: 'reports',
    params: monitorParams,
    query: z.strictObject(rangeParameters),
    answers: { 200: pingsSchema },
    handle: async ({ sql, caller, params: { id }, query, nowMs }) => {
      await urlOf(sql, caller.projectId, id, nowMs);
      const asked = { monitorId: id, ...rangeOf(query, nowMs) };
      const bucketMs = bucketLengths.find(length => (asked.toMs - asked.fromMs) / length <= bucketsMax) ?? dayMs;
      const range = await newestResults(sql, asked, pingsMax);
      const buckets = await sumPings(sql, range, bucketMs);
      const data = buckets.map(({ start, ...bucket }) => ({ bucket: toTimestamp(start), ...bucket }));
      const body = { bucket_seconds: bucketMs / 1000, complete_from: toTimestamp(range.fromMs), data };
      return { status: 200, body };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/monitors/{id}/dns-answers',
    summary: 'Get which records a DNS query was answered with over time, by region',
    operation: 'getDnsAnswers',
    tag: 'Checks',
    scope: 'monitors:read',
    pool: 'reports',
    params: monitorParams,
    query: z.strictObject(rangeParameters),
    answers: { 200: answersSchema },
    handle: async ({ sql, caller, params: { id }, query, nowMs }) => {
      const url = await urlOf(sql, caller.projectId, id, nowMs);
      const range = await newestResults(sql, { monitorId: id, ...rangeOf(query, nowMs) }, answersReadMax);
      const { sets, completeFromMs } = await readAnswers(sql, range, { type: typeAskedBy(url), max: setsMax });
      const data = sets.map(set => ({
        ...set,
        first_at: toTimestamp(set.first_at),
        last_at: toTimestamp(set.last_at),
      }));
      return {
        status: 200,
        body: { complete_from: toTimestamp(Math.max(range.fromMs, completeFromMs ?? 0)), data },
      };
    },
  }),
];

/** The last 24 hours unless it says otherwise. */
function rangeOf({ from, to }: { from?: number | undefined; to?: number | undefined }, nowMs: number) {
  const toMs = to ?? nowMs + 1;
  return { fromMs: from ?? toMs - dayMs, toMs };
}

async function urlOf(sql: Sql, projectId: string, id: string, nowMs: number): Promise<string> {
  const url = await findUrl(sql, projectId, id, nowMs - revivalDays * dayMs);
  if (url === null) throw new Problem('not_found');
  return url;
}
