import { instant, type Sql, type SqlValue } from '../db/sql.ts';
import type { Condition, FlowRule, Step } from './flow.ts';
import { namesOf } from './flow.ts';

/**
 * What to count from raw events: entries in [bounds[0], bounds.at(-1)), told apart by the bucket between two bounds that
 * they fall into (1 is the first), of all users or of some.
 */
export type FunnelQuery = {
  projectId: string;
  rule: FlowRule;
  bounds: readonly number[];
  /** Events that arrived before are past their retention. */
  rawFromMs: number;
  actors: readonly number[] | null;
};

/** How far a user came with the entries of one bucket. */
export type Depth = { actor: number; bucket: number; depth: number };

const aheadMs = 3_600_000;
const fetchRows = 5000;
/** Sorting millions of events on disk takes half as long again. */
const roomToSort = "set local work_mem = '64MB'";

/** Users by bucket and by how far they came, counted by the database: only where no event can match two steps. */
export async function countDepths(
  sql: Sql,
  query: FunnelQuery,
): Promise<{ bucket: number; depth: number; users: number }[]> {
  const values: SqlValue[] = [];
  const text = `${depthsSql(query, values)} select bucket, depth, count(*) as users from depths group by bucket, depth`;
  await sql.run(roomToSort);
  return sql.once(text, values);
}

/** The same, user by user: `each` gets them in no order. */
export async function eachDepth(sql: Sql, query: FunnelQuery, each: (depth: Depth) => void): Promise<void> {
  const values: SqlValue[] = [];
  await eachRow<Depth>(sql, `${depthsSql(query, values)} select actor, bucket, depth from depths`, values, each);
}

/** Every event that matters to the rule, of each user in order of time; `steps` has a bit for each step it matches. */
export async function eachStepEvent(
  sql: Sql,
  query: FunnelQuery,
  each: (event: { actor: number; at_ms: number; steps: number }) => void,
): Promise<void> {
  const values: SqlValue[] = [];
  const bind = binder(values);
  const steps = query.rule.steps.map(
    (step, place) => `coalesce((${matchSql(step, bind)})::integer, 0) * ${2 ** place}`,
  );
  const text = `with ${entrantsSql(query, bind)}
    select actor, (extract(epoch from timestamp) * 1000)::float8 as at_ms, ${steps.join(' + ')} as steps
    from events where ${rangeSql(query, bind)} and actor in (select actor from entrants) order by actor, timestamp`;
  await eachRow(sql, text, values, each);
}

/**
 * Users with any event of a rule's in a span: whom an arrival there can have moved. In a strict flow every event counts, and
 * no index finds all of a span: those who entered so that it lies in their window are looked at one by one.
 */
export async function listActors(
  sql: Sql,
  projectId: string,
  rule: FlowRule,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const names = namesOf(rule);
  if (names === null) return listEntered(sql, projectId, rule, fromMs, toMs);
  const rows = await sql.rows<{ actor: number }>(
    `select distinct actor from events where project_id = $1 and type = 'track' and actor is not null
       and timestamp >= $2 and timestamp < $3 and ingested_at >= $4 and name = any($5::text[])`,
    [projectId, instant(fromMs), instant(toMs), instant(fromMs - aheadMs), names],
  );
  return rows.map(row => row.actor);
}

async function listEntered(
  sql: Sql,
  projectId: string,
  rule: FlowRule,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const enteredMs = fromMs - rule.windowSeconds * 1000;
  const rows = await sql.rows<{ actor: number }>(
    `with entered as materialized (
       select distinct actor from events where project_id = $1 and type = 'track' and actor is not null and name = $2
         and timestamp >= $3 and timestamp < $5 and ingested_at >= $6
     ) select actor from entered n where exists (
       select 1 from events e where e.project_id = $1 and e.actor = n.actor and e.type = 'track'
         and e.timestamp >= $4 and e.timestamp < $5 and e.ingested_at >= $7)`,
    [
      projectId,
      rule.steps[0]?.event ?? '',
      instant(enteredMs),
      instant(fromMs),
      instant(toMs),
      instant(enteredMs - aheadMs),
      instant(fromMs - aheadMs),
    ],
  );
  return rows.map(row => row.actor);
}

/** Hours with entries, whoever's. */
export async function listEntryHours(
  sql: Sql,
  projectId: string,
  rule: FlowRule,
  rawFromMs: number,
  actor: number | null,
): Promise<number[]> {
  const rows = await sql.rows<{ hour: number }>(
    `select distinct date_bin('1 hour', timestamp, '2000-01-01Z') as hour from events
     where project_id = $1 and type = 'track' and name = $2 and ingested_at >= $3 and actor is not null and ($4::bigint is null or actor = $4)`,
    [projectId, rule.steps[0]?.event ?? '', instant(rawFromMs), actor],
  );
  return rows.map(row => row.hour);
}

type Bind = (value: SqlValue, type: string) => string;

function binder(values: SqlValue[]): Bind {
  return (value, type) => `$${values.push(value)}::${type}`;
}

/**
 * One window a step over one sort: along a user's events each column holds the latest entry that came so far. Peers of one
 * instant see each other, so their order is free.
 */
function depthsSql(query: FunnelQuery, values: SqlValue[]): string {
  const bind = binder(values);
  const { rule, bounds } = query;
  const step = rule.steps.map((one, place) => `when ${matchSql(one, bind)} then ${place + 1}`).join(' ');
  const limits = bind(
    bounds.map(ms => instant(ms)),
    'timestamptz[]',
  );
  const window = bind(`${rule.windowSeconds} seconds`, 'interval');
  const [places, part] = bounds.length === 2 ? [alone, 'actor'] : [inBuckets(window, bounds.length), 'actor, bucket'];
  const columns = rule.steps.map((_, place) =>
    place === 0
      ? `reached_1 as (select *, max(case when enters then at end) over w as e1 from placed window w as (partition by ${part} order by at))`
      : `reached_${place + 1} as (select *, max(case when step = ${place + 1} and at <= e${place} + ${window} then e${place} end) over w as e${place + 1}
           from reached_${place} window w as (partition by ${part} order by at))`,
  );
  const depth = rule.steps.map((_, place) => `(max(e${place + 1}) is not null)::integer`).join(' + ');
  return `with matched as materialized (
      select actor, timestamp as at, case ${step} end as step, width_bucket(timestamp, ${limits}) as bucket from events where ${rangeSql(query, bind)}
    ), ${places}, ${columns.join(', ')}, depths as (
      select actor, bucket, ${depth} as depth from reached_${rule.steps.length} group by actor, bucket having max(e1) is not null
    )`;
}

const alone = `placed as (select actor, 1 as bucket, at, step, step = 1 and bucket = 1 as enters from matched where step is not null)`;

/** With several buckets a user's events stand once for each bucket in which the user entered. */
function inBuckets(window: string, boundCount: number): string {
  return `entries as (
      select actor, bucket, min(at) as first_at, max(at) as last_at from matched
      where step = 1 and bucket > 0 and bucket < ${boundCount} group by actor, bucket
    ), placed as (
      select m.actor, e.bucket, m.at, m.step, m.step = 1 and m.bucket = e.bucket as enters
      from entries e join matched m on m.actor = e.actor and m.at >= e.first_at and m.at <= e.last_at + ${window} where m.step is not null
    )`;
}

function entrantsSql({ projectId, rule, bounds, rawFromMs, actors }: FunnelQuery, bind: Bind): string {
  const [first] = rule.steps;
  return `entrants as materialized (
    select distinct actor from events where project_id = ${bind(projectId, 'text')} and type = 'track' and actor is not null
      and timestamp >= ${bind(instant(bounds[0] ?? 0), 'timestamptz')} and timestamp < ${bind(instant(bounds.at(-1) ?? 0), 'timestamptz')}
      and ingested_at >= ${bind(instant(rawFromMs), 'timestamptz')} and ${first === undefined ? 'false' : matchSql(first, bind)}
      ${actors === null ? '' : `and actor = any(${bind(actors, 'bigint[]')})`})`;
}

/** Events that may matter: from the first entry to the end of the last one's window. */
function rangeSql({ projectId, rule, bounds, rawFromMs, actors }: FunnelQuery, bind: Bind): string {
  const names = namesOf(rule);
  const fromMs = bounds[0] ?? 0;
  const toMs = (bounds.at(-1) ?? 0) + rule.windowSeconds * 1000;
  return [
    `project_id = ${bind(projectId, 'text')} and type = 'track' and actor is not null`,
    ...(names === null ? [] : [`name = any(${bind(names, 'text[]')})`]),
    `timestamp >= ${bind(instant(fromMs), 'timestamptz')} and timestamp <= ${bind(instant(toMs), 'timestamptz')}`,
    `ingested_at >= ${bind(instant(Math.max(rawFromMs, fromMs - aheadMs)), 'timestamptz')}`,
    ...(actors === null ? [] : [`actor = any(${bind(actors, 'bigint[]')})`]),
  ].join(' and ');
}

function matchSql(step: Step, bind: Bind): string {
  return [`name = ${bind(step.event, 'text')}`, ...step.where.map(condition => conditionSql(condition, bind))].join(
    ' and ',
  );
}

/** Never null: where the property is missing everything but `not_exists` is false. */
function conditionSql({ prop, op, value }: Condition, bind: Bind): string {
  const name = bind(prop, 'text');
  const field = { kind: `json_typeof(props -> ${name})`, text: `(props ->> ${name})` };
  const there = `(props -> ${name}) is not null`;
  const values = Array.isArray(value) ? value : [value];
  const equal = () => `(${values.map(one => equalSql(field, one, bind)).join(' or ')})`;
  const held = ((): string => {
    switch (op) {
      case 'exists':
        return there;
      case 'not_exists':
        return `not (${there})`;
      case 'eq':
      case 'in':
        return equal();
      case 'neq':
      case 'not_in':
        return `(${there} and not coalesce(${equal()}, false))`;
      case 'contains':
      case 'not_contains':
        return `(${field.kind} = 'string' and strpos(${field.text}, ${bind(String(value), 'text')}) ${op === 'contains' ? '>' : '='} 0)`;
      case 'lt':
      case 'lte':
      case 'gt':
      case 'gte':
        return numberSql(field, comparisons[op], Number(value), bind);
      default:
        return op satisfies never;
    }
  })();
  return `coalesce(${held}, false)`;
}

const comparisons = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

type Field = { kind: string; text: string };

function equalSql(field: Field, value: unknown, bind: Bind): string {
  if (value === null) return `${field.kind} = 'null'`;
  if (typeof value === 'number') return numberSql(field, '=', value, bind);
  const kind = typeof value === 'boolean' ? 'boolean' : 'string';
  return `(${field.kind} = '${kind}' and ${field.text} = ${bind(String(value), 'text')})`;
}

/** Both sides are doubles written by one program in their shortest form, so equal text is equal value. */
function numberSql(field: Field, comparison: string, value: number, bind: Bind): string {
  return `(case when ${field.kind} = 'number' then ${field.text}::float8 ${comparison} ${bind(value, 'float8')} else false end)`;
}

/** Rows of any number in bounded memory; needs a transaction. */
async function eachRow<Row>(
  sql: Sql,
  text: string,
  values: readonly SqlValue[],
  each: (row: Row) => void,
): Promise<void> {
  await sql.run(roomToSort);
  // Every row is wanted: by default a cursor is planned for its first tenth.
  await sql.run('set local cursor_tuple_fraction = 1');
  await sql.once(`declare funnel_rows no scroll cursor for ${text}`, values);
  for (;;) {
    const rows = await sql.once<Row>(`fetch ${fetchRows} from funnel_rows`);
    for (const row of rows) each(row);
    if (rows.length < fetchRows) break;
  }
  await sql.once('close funnel_rows');
}
