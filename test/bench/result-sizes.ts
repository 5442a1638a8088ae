import { join } from 'node:path';
import { insertResults, type NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import { TemplateDictionary } from '#control-plane/monitoring/checks/storage/template-dictionary.ts';
import { createPools } from '#control-plane/platform/db/pool.ts';
import { migrate } from '#control-plane/platform/db/schema/migrate.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { startEmbedded } from '#deploy/embedded-postgres/embedded.ts';
import { dayMs, dayOf } from '#shared/duration.ts';
import { newId } from '#shared/ids.ts';
import { createLog } from '#shared/log.ts';
import { dataParent, makeScratch } from '../suite/scratch.ts';
import { composeFolder } from '../suite/server.ts';
import { kindsOfResults, resultOf } from './load/results-of-kinds.ts';
import { type Row, type RowRun, round } from './row.ts';

const monitorsPerKind = 48;
const regions = ['region-a', 'region-b', 'region-c'];
/** All monitors check at once, as often in a day as it takes for a million results. */
const slots = { small: 100, full: 1489 };
const editions = ['plain', 'apache'] as const;

type Sizes = { rows: number; table: number; indexes: number; templates: number };
type OfKind = { row: number; own: number; ownMax: number; whole: number };

/** Bytes of stored results of all kinds, on each edition of storage that a program can start by itself. */
export async function measureSizes(run: RowRun): Promise<Row> {
  const figure: Record<string, unknown> = {};
  let isMet = true;
  for (const edition of editions) {
    const { sizes, kinds } = await measureOn(edition, run);
    figure[edition] = { ...sizes, kinds };
    isMet &&= kindsOfResults.every(
      ({ name, bytesMax }) => bytesMax === null || (kinds[name]?.ownMax ?? Infinity) <= bytesMax,
    );
  }
  const target = Object.fromEntries(kindsOfResults.map(({ name, bytesMax }) => [name, bytesMax]));
  return { name: 'sizes', figure, target, pass: isMet, versions: { node: process.version }, samples: [] };
}

async function measureOn(edition: Exclude<Edition, 'community'>, { full, progress }: RowRun) {
  await using opened = new AsyncDisposableStack();
  const { folder } = opened.use(await makeScratch(await dataParent()));
  const timescale = edition === 'plain' ? 'off' : 'require';
  const folders = { dataDir: join(folder, 'server'), composeDir: composeFolder(process.env) };
  const postgres = await startEmbedded({ ...folders, timescale, progress, timescaleWorkers: 0 });
  opened.defer(() => postgres.stop());
  await migrate({ connectionString: postgres.url, storage: edition, log: () => {} });
  const pools = createPools(postgres.url, createLog({ name: 'bench', level: 'silent' }));
  opened.defer(() => pools.end());
  const sql = sqlOf(pools.background);
  const series = await openSeries(pools.background, sql, edition);
  const start = dayOf(Date.now());
  for (const name of ['check_results', 'check_shapes'] as const) await series.ensure(name, [start]);
  const monitors = kindsOfResults.flatMap(kind =>
    Array.from({ length: monitorsPerKind }, (_, index) => ({
      kind,
      id: newId('mon'),
      region: regions[index % regions.length] ?? '',
    })),
  );
  const dictionary = new TemplateDictionary();
  const count = full ? slots.full : slots.small;
  for (let slot = 0; slot < count; slot++) {
    const at = start + Math.floor(slot * (dayMs / count));
    const results = monitors.map(({ kind, id, region }) => resultOf(kind, id, region, at));
    await store(pools.background, results, dictionary);
    if (slot % 100 === 99) progress(`${edition}: ${(slot + 1) * monitors.length} results`);
  }
  await sql.run`analyze check_results`;
  const kinds: Record<string, OfKind> = {};
  for (const kind of kindsOfResults)
    kinds[kind.name] = await sizesOfKind(
      sql,
      monitors.flatMap(monitor => (monitor.kind === kind ? monitor.id : [])),
    );
  return { sizes: await sizesOf(sql), kinds };
}

function store(pool: Parameters<typeof transaction>[0], results: NewResult[], dictionary: TemplateDictionary) {
  return transaction(pool, async sql => {
    const { templates } = await insertResults(sql, results, dictionary, false);
    dictionary.remember(templates);
  });
}

/** Of a row: all of it, what is its own beside the columns of every result, and whether it has no template. */
async function sizesOfKind(sql: Sql, monitorIds: readonly string[]): Promise<OfKind> {
  const row = await sql.row<OfKind>`
    select
      avg(pg_column_size(r.*))::float8 as row,
      avg(octet_length(detail::text) + coalesce(octet_length(figures), 0))::float8 as own,
      max(octet_length(detail::text) + coalesce(octet_length(figures), 0)) as "ownMax",
      count(*) filter (where shape is null)::integer as whole
    from check_results r
    where monitor_id = any(${monitorIds}::text[])`;
  if (row === null) throw new Error('no results are stored');
  return { ...row, row: round(row.row, 0), own: round(row.own, 0) };
}

/** Bytes a row, of the table and of its index; those of templates are a row of theirs. */
async function sizesOf(sql: Sql): Promise<Sizes> {
  const row = await sql.row<Sizes>`
    with parts as (
      select
        inhparent::regclass::text as parent,
        sum(pg_table_size(inhrelid)) as in_table,
        sum(pg_indexes_size(inhrelid)) as in_indexes
      from pg_inherits
      group by inhparent
    )
    select
      (select count(*)::integer from check_results) as rows,
      (select in_table::float8 from parts where parent = 'check_results') as table,
      (select in_indexes::float8 from parts where parent = 'check_results') as indexes,
      (select (in_table + in_indexes)::float8 / (select count(*) from check_shapes)
       from parts where parent = 'check_shapes') as templates`;
  if (row === null) throw new Error('nothing is stored');
  const { rows, table, indexes, templates } = row;
  return { rows, table: round(table / rows, 0), indexes: round(indexes / rows, 0), templates: round(templates, 0) };
}
