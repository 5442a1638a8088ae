import { readFileSync } from 'node:fs';
import { identifier } from '#control-plane/platform/db/sql.ts';
import type { Resource } from '#control-plane/platform/project-limits/quota.ts';
import { setQuota } from '#control-plane/platform/project-limits/quota-store.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { type Api, apiOf, createRegions, createTenant, withSql } from '../support/control-plane.ts';
import { boundsOf, type StorageBound } from '../support/storage-bounds.ts';
import { makersOf, othersOf, small, storedOf, type Work } from './harness/all-resources.ts';
import { repeat } from './hostile/calls.ts';

const attackMs = { small: 30_000, full: 3_600_000 };
const fillWithinMs = 600_000;
const linesPerWork = 2;
const mebibyte = 1024 * 1024;
/** Entries of the audit, and what is remembered of a key, still come when all else is full. */
const target = {
  bytesPerRequest: 4096,
  resourcesNotFull: 0,
  grownWhenFull: 0,
  tablesWithoutBound: 0,
  rowsTooLarge: 0,
  resourcesOverBound: 0,
  serverErrors: 0,
};

/** H14: one project makes, changes and deletes all that a token can, as fast as it can. */
export async function fillStorage(run: RowRun): Promise<Row> {
  const site = await openSite(run, { OUTBOUND_ADDRESS_POLICY: 'loopback' });
  const { token, projectId } = await createTenant(site.databaseUrl, ['*'], 'pro');
  await createRegions(site.databaseUrl, ['h14'], projectId);
  await withSql(site.databaseUrl, async sql => {
    for (const [resource, maximum] of Object.entries(small))
      await setQuota(sql, projectId, resource as Resource, maximum);
  });
  const counts: Record<string, number> = {};
  const api = talliedApi(apiOf(site.url, token), counts);
  const page = (await api('POST', '/v0/status-pages', { name: 'Page', slug: 'h14' })).body.id;
  const grounds = { page, region: 'h14' };
  const makers = makersOf(grounds);
  const full = await fill(api, makers);
  run.progress(`full: ${[...full].join(', ')}`);
  const bounds = boundsOf(readFileSync('docs/hardening.md', 'utf8'));
  const before = await compare(site.databaseUrl, bounds);
  const [startBytes, startRequests] = [await databaseBytes(site.databaseUrl), counts.requests ?? 0];
  const works = [...Object.values(makers), ...othersOf(grounds)];
  const signal = AbortSignal.timeout(run.full ? attackMs.full : attackMs.small);
  await repeat(works.length * linesPerWork, signal, async (_, line) => works[line % works.length]?.(api));
  const bytes = (await databaseBytes(site.databaseUrl)) - startBytes;
  const found = await compare(site.databaseUrl, bounds);
  const requests = (counts.requests ?? 0) - startRequests;
  const grown = Object.keys(makers).filter(table => (found.tables[table]?.[0] ?? 0) > (before.tables[table]?.[0] ?? 0));
  const figure = {
    requests,
    megabytes: round(bytes / mebibyte, 1),
    bytesPerRequest: round(bytes / requests, 0),
    resourcesNotFull: Object.keys(makers).length - full.size,
    grownWhenFull: grown.length,
    tablesWithoutBound: found.unbounded.length,
    rowsTooLarge: found.tooLarge.length,
    resourcesOverBound: found.over.length,
    serverErrors: counts.serverErrors ?? 0,
  };
  return {
    name: 'H14',
    figure,
    target,
    pass: Object.entries(target).every(([name, most]) => Number(figure[name as keyof typeof target]) <= most),
    versions: await site.versions(),
    samples: { grown, found, counts },
  };
}

/** Makes and deletes of each resource until there is no more room. Returns those that are full. */
async function fill(api: Api, makers: Partial<Record<Resource, Work>>): Promise<Set<string>> {
  const full = new Set<string>();
  const entries = Object.entries(makers);
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(fillWithinMs)]);
  await repeat(entries.length * linesPerWork, signal, async (_, line) => {
    const [name, make] = entries[line % entries.length] ?? [];
    if (name === undefined || make === undefined || full.has(name)) return;
    if (await make(api)) full.add(name);
    if (full.size === entries.length) over.abort();
  });
  return full;
}

function talliedApi(api: Api, counts: Record<string, number>): Api {
  return async (...call) => {
    const reply = await api(...call);
    const what =
      reply.status >= 500 && reply.status !== 503 ? 'serverErrors' : String(reply.body?.resource ?? reply.status);
    for (const name of [what, 'requests']) counts[name] = (counts[name] ?? 0) + 1;
    return reply;
  };
}

async function databaseBytes(databaseUrl: string): Promise<number> {
  const row = await withSql(
    databaseUrl,
    sql => sql.row<{ bytes: number }>`select pg_database_size(current_database()) as bytes`,
  );
  return row?.bytes ?? 0;
}

type Found = {
  unbounded: string[];
  tooLarge: string[];
  over: string[];
  /** By table: rows, and the largest as text. */
  tables: Record<string, [rows: number, largest: number]>;
};

/** Compares what is stored with the bounds of the guide, and with the quotas. */
async function compare(databaseUrl: string, bounds: readonly StorageBound[]): Promise<Found> {
  const known = new Map(bounds.flatMap(({ tables, bytesMax }) => tables.map(table => [table, bytesMax] as const)));
  const found: Found = { unbounded: [], tooLarge: [], over: [], tables: {} };
  await withSql(databaseUrl, async sql => {
    const names = await sql.rows<{ name: string }>`
      select distinct c.relname::text as name
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname in ('project_id', 'monitor_id') and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;
    for (const { name } of names) {
      const row = await sql.row<{ rows: number; largest: number }>`
        select count(*) as rows, coalesce(max(octet_length(r::text)), 0) as largest
        from ${identifier(name)} r`;
      const { rows = 0, largest = 0 } = row ?? {};
      if (rows > 0) found.tables[name] = [rows, largest];
      const bytesMax = known.get(name);
      if (bytesMax === undefined) found.unbounded.push(name);
      // As text, bytes are two digits each.
      else if (largest > 2 * bytesMax) found.tooLarge.push(`${name}: ${largest}`);
    }
  });
  for (const resource of Object.keys(small) as Resource[]) {
    const [rows] = found.tables[resource] ?? [0];
    if (rows > (storedOf(resource) ?? 0)) found.over.push(`${resource}: ${rows}`);
  }
  return found;
}
