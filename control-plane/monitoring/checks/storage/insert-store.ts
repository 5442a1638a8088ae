import type { StoredResult } from '#shared/check-result.ts';
import {
  bigints,
  byteas,
  instants,
  integers,
  jsons,
  reals,
  smallints,
  texts,
} from '../../../platform/db/binary-array.ts';
import { type Fragment, fragment, type Sql } from '../../../platform/db/sql.ts';
import type { Delayed } from '../result.ts';
import type { StoredParts } from './template.ts';
import type { NewTemplate, TemplateDictionary } from './template-dictionary.ts';
import { insertTemplates } from './template-store.ts';

/** How many days results are stored. */
export const rawDays = 30;

/**
 * A result about to be stored. `bin` is null if its latency does not count; `latency_ms` is null if the agent stood
 * still meanwhile, and then in `delayed`.
 */
export type NewResult = StoredResult & {
  region: string;
  agentId: string;
  receivedAt: number;
  bin: number | null;
  delayed?: Delayed | undefined;
};

type Row = { result: NewResult; part: StoredParts };

const keyColumns = fragment`monitor_id, scheduled_at, region, kind, attempt`;
const givenColumns = fragment`
  ${keyColumns}, status, failure_source, agent_id, config_version, started_at, completed_at, received_at, latency_ms,
  status_code, detail, shape, figures`;

/** The indexes of the results that were not stored before, and the templates to remember after the commit. */
export type Inserted = { indexes: readonly number[]; templates: readonly NewTemplate[] };

/**
 * Stores results with the templates they need. If none may be stored already, that is faster, and it throws a unique
 * violation for one that is.
 */
export async function insertResults(
  sql: Sql,
  results: readonly NewResult[],
  dictionary: TemplateDictionary,
  mayRepeat: boolean,
): Promise<Inserted> {
  const { parts, templates } = dictionary.divide(results);
  await insertTemplates(sql, templates);
  if (mayRepeat) return { indexes: await insertOnce(sql, results, parts), templates };
  await insertNew(sql, results, parts);
  return { indexes: [...results.keys()], templates };
}

/**
 * Stores results of which none may be stored already: else it throws a unique violation. It takes two thirds of what
 * `insertOnce` takes, since no row has to be looked for before, or reported back.
 */
async function insertNew(sql: Sql, results: readonly NewResult[], parts: readonly StoredParts[]): Promise<void> {
  const rows = rowsOf(results, parts);
  const ordinary = rows.filter(isOrdinary);
  if (ordinary.length > 0) await insertOrdinary(sql, ordinary);
  if (ordinary.length === rows.length) return;
  await sql.run`
    insert into check_results (${givenColumns})
    select ${givenColumns}
    from ${given(rows.filter(row => !isOrdinary(row)))} as given (${givenColumns})`;
}

/**
 * Stores those results that are not stored yet and returns their indexes. Rows are written in key order, so that
 * concurrent writers cannot deadlock.
 */
export async function insertOnce(
  sql: Sql,
  results: readonly NewResult[],
  parts: readonly StoredParts[],
): Promise<number[]> {
  const row = await sql.row<{ indexes: number[] | null }>`
    with input as (
      select ${givenColumns}, index
      from ${given(rowsOf(results, parts))} with ordinality as given (${givenColumns}, index)
    ), stored as (
      insert into check_results (${givenColumns})
      select ${givenColumns}
      from input
      order by ${keyColumns}
      on conflict do nothing
      returning ${keyColumns}
    )
    select array_agg(index::integer - 1 order by index) as indexes
    from stored
    join input using (${keyColumns})`;
  return row?.indexes ?? [];
}

function rowsOf(results: readonly NewResult[], parts: readonly StoredParts[]): Row[] {
  return results.flatMap((result, index) => {
    const part = parts[index];
    return part === undefined ? [] : [{ result, part }];
  });
}

/** A good result of which nothing but numbers differs from the others: most are. */
function isOrdinary({ result, part }: Row): boolean {
  return (
    result.kind === 'scheduled' &&
    result.attempt === 1 &&
    result.status === 'ok' &&
    result.failure_source === null &&
    part.agentId === '' &&
    part.detail === '{}'
  );
}

async function insertOrdinary(sql: Sql, rows: readonly Row[]): Promise<void> {
  await sql.run`
    insert into check_results (${givenColumns})
    select
      monitor_id, scheduled_at, region, 'scheduled', 1, 'ok', null, '', config_version, started_at, completed_at,
      received_at, latency_ms, status_code, '{}', shape, figures
    from unnest(
      ${texts(rows.map(({ result }) => result.monitor_id))}::text[],
      ${instants(rows.map(({ result }) => result.scheduled_at))}::timestamptz[],
      ${texts(rows.map(({ result }) => result.region))}::text[],
      ${integers(rows.map(({ result }) => result.config_version))}::integer[],
      ${instants(rows.map(({ result }) => result.started_at))}::timestamptz[],
      ${instants(rows.map(({ result }) => result.completed_at))}::timestamptz[],
      ${instants(rows.map(({ result }) => result.receivedAt))}::timestamptz[],
      ${reals(rows.map(({ result }) => result.latency_ms))}::real[],
      ${smallints(rows.map(({ result }) => result.status_code))}::smallint[],
      ${bigints(rows.map(({ part }) => part.template))}::bigint[],
      ${byteas(rows.map(({ part }) => part.metrics))}::bytea[]
    ) as ordinary (
      monitor_id, scheduled_at, region, config_version, started_at, completed_at, received_at, latency_ms, status_code,
      shape, figures
    )`;
}

/** Rows with `givenColumns`. */
function given(rows: readonly Row[]): Fragment {
  return fragment`unnest(
      ${texts(rows.map(({ result }) => result.monitor_id))}::text[],
      ${instants(rows.map(({ result }) => result.scheduled_at))}::timestamptz[],
      ${texts(rows.map(({ result }) => result.region))}::text[],
      ${texts(rows.map(({ result }) => result.kind))}::text[],
      ${smallints(rows.map(({ result }) => result.attempt))}::smallint[],
      ${texts(rows.map(({ result }) => result.status))}::text[],
      ${texts(rows.map(({ result }) => result.failure_source))}::text[],
      ${texts(rows.map(({ part }) => part.agentId))}::text[],
      ${integers(rows.map(({ result }) => result.config_version))}::integer[],
      ${instants(rows.map(({ result }) => result.started_at))}::timestamptz[],
      ${instants(rows.map(({ result }) => result.completed_at))}::timestamptz[],
      ${instants(rows.map(({ result }) => result.receivedAt))}::timestamptz[],
      ${reals(rows.map(({ result }) => result.latency_ms))}::real[],
      ${smallints(rows.map(({ result }) => result.status_code))}::smallint[],
      ${jsons(rows.map(({ part }) => part.detail))}::json[],
      ${bigints(rows.map(({ part }) => part.template))}::bigint[],
      ${byteas(rows.map(({ part }) => part.metrics))}::bytea[]
    )`;
}
