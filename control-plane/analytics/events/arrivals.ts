import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { hourMs } from '#shared/duration.ts';
import { pageParameters } from '../../platform/http/endpoint/pagination.ts';
import { commaList, rangeParameters } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { ArrivalFilter, ArrivalRow } from './arrival-store.ts';
import { eventTypes, limits, timelineItemSchema } from './event.ts';
import { showItem } from './timeline.ts';

/** No index orders arrivals by project: a longer range would be read as a whole. */
const rangeMaxMs = hourMs;

export const arrivalQuery = z.strictObject({
  ...pageParameters,
  from: rangeParameters.from.describe('Start of the range by time of arrival; by default an hour before `to`.'),
  to: rangeParameters.to.describe('End of the range, at most an hour after `from`; now by default.'),
  types: commaList(eventTypes).optional(),
  name: z.string().min(1).max(limits.nameLength).optional(),
  external_user_id: z.string().min(1).max(limits.idLength).optional(),
});

export const arrivalSchema = timelineItemSchema
  .omit({ linked: true })
  .extend({ external_user_id: z.string().nullable(), ingested_at: z.string() })
  .meta({ title: 'StoredEvent' });

/** Throws `invalid_parameter` for a range of more than an hour. */
export function arrivalFilter(query: z.output<typeof arrivalQuery>, nowMs: number): ArrivalFilter {
  // Clocks of replicas differ: what another one has just stored must not be left out.
  const toMs = query.to ?? Math.max(nowMs + limits.aheadMs, query.from ?? 0);
  const fromMs = query.from ?? Math.min(toMs, nowMs) - rangeMaxMs;
  const detail = 'must be at most an hour before to';
  if (Math.min(toMs, nowMs) - fromMs > rangeMaxMs)
    throw new Problem('invalid_parameter', {
      detail: `from ${detail}`,
      errors: [{ parameter: 'from', code: 'out_of_range', detail }],
    });
  const { types = null, name = null, external_user_id: externalId = null } = query;
  return { fromMs, toMs, types, name, externalId };
}

export function showArrival(row: ArrivalRow): z.infer<typeof arrivalSchema> {
  return { ...showItem(row), external_user_id: row.external_user_id, ingested_at: toTimestamp(row.ingested_at) };
}
