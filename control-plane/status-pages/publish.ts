import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from '#shared/log.ts';
import { type Sql, sqlOf } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { version } from '../http/version.ts';
import { nextMidnight } from './days.ts';
import { currentDocuments, historyDocument, historyPageSize, historyPath, incidentDocument } from './documents.ts';
import { readModel } from './model.ts';
import type { FeedEntry, PageModel } from './page-model.ts';
import {
  claimDue,
  deleteOtherDocuments,
  finishPublication,
  listHistorySources,
  listSources,
  lockPublication,
  postponePublication,
  withdrawPage,
  writeDocument,
} from './publication-store.ts';
import { listFeedUpdates, readIncidents } from './read-store.ts';
import { toSettings } from './store.ts';

/** A page is made anew at least so often: bars grow, and it says as of when it is. */
const refreshMs = 300_000;
const retryMs = 15_000;
const feedEntriesMax = 50;
/** Incident pages rendered in one turn; what is left follows at once. */
const incidentsMax = 100;

type Scope = { id: string; projectId: string };

/** Renders what changed of a page into its documents, in one transaction with the notice to all replicas. */
export async function publishPage(sql: Sql, pageId: string, baseUrl: string, nowMs: number): Promise<void> {
  const row = await lockPublication(sql, pageId, nowMs);
  if (row === null) return withdrawPage(sql, pageId);
  const page = toSettings(row);
  const model = await readModel(sql, page, baseUrl, nowMs);
  for (const document of currentDocuments(model, await readEntries(sql, pageId)))
    await writeDocument(sql, page, document, nowMs);
  const sources = await listSources(sql, pageId);
  const more = await publishIncidents(sql, page, model, sources, nowMs);
  await publishHistory(sql, page, model, sources, nowMs);
  const next = more ? nowMs : Math.min(nowMs + refreshMs, nextMidnight(page.timezone, nowMs));
  await finishPublication(sql, pageId, next, nowMs);
}

/** Publishes one page that is due; false when none is. A page that cannot be rendered waits, and holds up no other. */
export async function publishDue(pool: pg.Pool, baseUrl: string, nowMs: number, log: Logger): Promise<boolean> {
  let claimed: string | null = null;
  try {
    await transaction(pool, async sql => {
      claimed = await claimDue(sql, nowMs);
      if (claimed !== null) await publishPage(sql, claimed, baseUrl, nowMs);
    });
  } catch (error) {
    if (claimed === null) throw error;
    log.error({ err: error, page: claimed }, 'a status page could not be published, it will be tried again');
    await postponePublication(sqlOf(pool), claimed, nowMs + retryMs, (error as Error).message.slice(0, 200));
  }
  return claimed !== null;
}

async function readEntries(sql: Sql, pageId: string): Promise<FeedEntry[]> {
  const latest = await listFeedUpdates(sql, pageId, feedEntriesMax);
  const incidents = new Map(
    (await readIncidents(sql, [...new Set(latest.map(entry => entry.incident_id))])).map(incident => [
      incident.id,
      incident,
    ]),
  );
  return latest.flatMap(({ incident_id, update_id }) => {
    const incident = incidents.get(incident_id);
    const update = incident?.updates.find(candidate => candidate.id === update_id);
    return incident === undefined || update === undefined ? [] : [{ incident, update }];
  });
}

type Sources = Awaited<ReturnType<typeof listSources>>;

/** True when some are left for the next turn. */
async function publishIncidents(
  sql: Sql,
  page: Scope,
  model: PageModel,
  sources: Sources,
  nowMs: number,
): Promise<boolean> {
  const ground = groundOf(model);
  const stale = sources
    .map(entry => ({
      ...entry,
      source: `${ground} ${entry.source} ${entry.open ? Math.floor(nowMs / refreshMs) : ''}`,
    }))
    .filter(entry => entry.source !== entry.published);
  const turn = new Map(stale.slice(0, incidentsMax).map(entry => [entry.incident_id, entry.source]));
  for (const incident of await readIncidents(sql, [...turn.keys()]))
    await writeDocument(sql, page, incidentDocument(model, incident, turn.get(incident.id) ?? ''), nowMs);
  return stale.length > incidentsMax;
}

/** What a document depends on besides its rows: its address, and how this version renders. */
function groundOf(model: PageModel): string {
  return `${version} ${model.url}`;
}

async function publishHistory(sql: Sql, page: Scope, model: PageModel, sources: Sources, nowMs: number): Promise<void> {
  const slug = model.page.slug;
  const count = Math.max(1, Math.ceil(sources.length / historyPageSize));
  const paths = Array.from({ length: count }, (_, index) => historyPath(slug, index + 1));
  const published = await listHistorySources(sql, page.id);
  for (const [index, path] of paths.entries()) {
    const shown = sources.slice(index * historyPageSize, (index + 1) * historyPageSize);
    const text = JSON.stringify([
      count,
      groundOf(model),
      model.page,
      shown.map(entry => [entry.incident_id, entry.source]),
    ]);
    const source = createHash('sha256').update(text).digest('base64url');
    if (published.get(path) === source) continue;
    const incidents = await readIncidents(
      sql,
      shown.map(entry => entry.incident_id),
    );
    await writeDocument(sql, page, historyDocument(model, incidents, { number: index + 1, count }, source), nowMs);
  }
  await deleteOtherDocuments(sql, page.id, slug, paths);
}
