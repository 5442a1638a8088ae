import { integerLiteral } from '../../../platform/db/compose-sql.ts';
import { type Fragment, fragment } from '../../../platform/db/sql.ts';

/** Values of a property, as JSON: each is a bucket, from 1. Then follow a missing property and any other value. */
export type ByValue = { property: string; values: readonly string[] };

/** Longer values are counted among the others. */
const valueLengthMax = 100;

/** The bucket of events without the property. */
export function missingBucket({ values }: ByValue): number {
  return values.length + 1;
}

/** How many buckets there are; the last is that of all other values. */
export function bucketCount({ values }: ByValue): number {
  return values.length + 2;
}

/** The bucket of a row of `events`. */
export function valueBucketSql(by: ByValue): Fragment {
  const { property, values } = by;
  const [missing, other] = [integerLiteral(missingBucket(by)), integerLiteral(bucketCount(by))];
  return fragment`case
          when (props -> ${property}::text) is null then ${missing}
          else coalesce(array_position(${values}::text[], ${valueSql(property)}), ${other})
        end`;
}

/** A scalar as the JSON it was stored as, so that 1 and "1" differ; empty for longer and other values, or null. */
export function valueSql(property: string): Fragment {
  const value = fragment`(props -> ${property}::text)`;
  return fragment`case
        when ${value} is null then null
        when json_typeof(${value}) in ('object', 'array') then ''
        when length(props ->> ${property}::text) > ${integerLiteral(valueLengthMax)} then ''
        else ${value}::text
      end`;
}
