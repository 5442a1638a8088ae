import type { Sql } from '../../platform/db/sql.ts';
import type { Bucket } from './buckets.ts';
import type { Count } from './merge-cells.ts';
import { countRaw, type RawQuery } from './raw-store.ts';
import { boundsOf, type Series } from './series.ts';

const valuesMax = 20;

/** A series for each of the 20 values with the most events, for events without the property, and for all others. */
export async function breakDown(
  sql: Sql,
  raw: Omit<RawQuery, 'bounds'>,
  buckets: readonly Bucket[],
  property: string,
): Promise<{ series: Series[]; estimated: boolean }> {
  const [event = ''] = raw.names;
  if (buckets.length === 0) return { series: [], estimated: false };
  const rows = await countRaw(sql, { ...raw, bounds: boundsOf(buckets) }, { property, valuesMax });
  const groups = [...Map.groupBy(rows, row => row.value)].map(([value, counts]): Series => {
    const data = buckets.map((): Count => ({ events: 0, users: 0 }));
    let total: Count = { events: 0, users: 0 };
    for (const { bucket, events, users } of counts)
      if (bucket === null) total = { events, users };
      else data[bucket] = { events, users };
    return { event, group: groupOf(value), data, total };
  });
  return { series: groups.sort(compareGroups), estimated: false };
}

function groupOf(json: string | null): NonNullable<Series['group']> {
  if (json === null) return { type: 'missing', value: null };
  return json === '' ? { type: 'other', value: null } : { type: 'value', value: JSON.parse(json) };
}

const order = ['value', 'missing', 'other'];

/** Values by their events, those with as many by their JSON; then events without the property, then all others. */
function compareGroups(left: Series, right: Series): number {
  const rank = ({ group }: Series) => order.indexOf(group?.type ?? '');
  const text = ({ group }: Series) => JSON.stringify(group?.value);
  return rank(left) - rank(right) || right.total.events - left.total.events || (text(left) < text(right) ? -1 : 1);
}
