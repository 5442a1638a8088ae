import { countFunnel } from '../funnel/funnel.ts';
import { listEntryValues } from '../funnel/store.ts';
import { bucketCount, missingBucket } from '../funnel/value-sql.ts';
import type { ReportContext } from './report-context.ts';
import type { ReportView } from './schema.ts';
import { stepsOf } from './steps.ts';

type ValueViews = NonNullable<ReportView['values']>;

/** Each value costs a pass over the events of users who entered with it. */
const valuesMax = 20;

/**
 * The funnel for each value of a property of the entries: as if the first step asked for that value. A user who entered
 * with several is in each of them.
 */
export async function countByValue(
  { sql, version, rawFromMs }: ReportContext,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  property: string,
): Promise<ValueViews> {
  if (fromMs >= toMs) return [];
  const query = { projectId: version.projectId, rule: version, rawFromMs, actors: null, bounds: [fromMs, toMs] };
  const byValue = { property, values: await listEntryValues(sql, query, property, valuesMax) };
  const counts = await countFunnel(sql, { ...query, byValue });
  const rows: [bucket: number, group: Omit<ValueViews[number], 'steps'>][] = [
    ...byValue.values.map((json, index): (typeof rows)[number] => [
      index + 1,
      { type: 'value', value: JSON.parse(json) },
    ]),
    [missingBucket(byValue), { type: 'missing', value: null }],
    [bucketCount(byValue), { type: 'other', value: null }],
  ];
  return rows.flatMap(([bucket, group]) => {
    const users = counts.get(bucket);
    return users === undefined ? [] : [{ ...group, steps: stepsOf(version, users) }];
  });
}
