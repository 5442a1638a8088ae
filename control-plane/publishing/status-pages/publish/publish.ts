import type pg from 'pg';
import { secondMs } from '#shared/duration.ts';
import { type Sql, sqlOf } from '../../../platform/db/sql.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { listFormerSlugs } from '../slug-store.ts';
import { toSettings } from '../store.ts';
import { nextMidnight } from './days.ts';
import { deleteOtherDocuments, listSources, saveDocument } from './document-store.ts';
import { currentDocuments, redirectDocument } from './documents.ts';
import { publishHistory } from './history.ts';
import { readFeedEntries } from './incident-read-store.ts';
import { publishIncidents, refreshMs } from './incidents.ts';
import { readMaintenanceEntries } from './maintenance-read-store.ts';
import { publishMaintenances } from './maintenances.ts';
import { details, readModel } from './model.ts';
import {
  type ClaimedPage,
  claimDue,
  finishPublication,
  lockPublication,
  noteTurn,
  postponePublication,
  readPublishedPage,
  takeRequests,
  withdrawPage,
} from './publication-store.ts';
import { saveTexts } from './text-store.ts';
import { Texts } from './texts.ts';

const retryMs = 15 * secondMs;
const feedEntriesMax = 50;

/** `level` indexes the levels of detail. `texts` renders texts, and collects them to be stored after the commit. */
export type Publication = { baseUrl: string; canMail: boolean; nowMs: number; texts?: Texts; level?: number };

/**
 * Renders the documents of a page that changed. `sql` must be in a transaction: documents, the next due time and the
 * notification of all replicas commit together. It is rendered as of its last request, if `nowMs` is earlier, because
 * the thread took its time to start or another replica's clock is ahead: what that replica announced must be there.
 */
export async function publishPage(sql: Sql, pageId: string, publication: Publication): Promise<void> {
  const { texts = new Texts(), level = 0 } = publication;
  await lockPublication(sql, pageId, publication.nowMs);
  const nowMs = Math.max(publication.nowMs, (await takeRequests(sql, pageId)) ?? 0);
  const row = await readPublishedPage(sql, pageId);
  if (row === null) return withdrawPage(sql, pageId);
  const page = toSettings(row);
  const model = await readModel(sql, page, { ...publication, nowMs, texts, detail: details[level] ?? details[0] });
  const ofIncidents = await readFeedEntries(sql, pageId, feedEntriesMax, texts);
  const ofMaintenances = await readMaintenanceEntries(sql, page, { nowMs, limit: feedEntriesMax }, texts);
  const entries = [...ofIncidents, ...ofMaintenances]
    .sort((left, right) => right.update.feedAt - left.update.feedAt || right.update.postedAt - left.update.postedAt)
    .slice(0, feedEntriesMax);
  for (const document of currentDocuments(model, entries)) await saveDocument(sql, page, document, nowMs);
  // Where a private page is now, is for those alone who may see it: its gate has its former slugs.
  for (const slug of page.isPrivate ? [] : await listFormerSlugs(sql, pageId))
    await saveDocument(sql, page, redirectDocument(slug, page.slug), nowMs);
  const sources = await listSources(sql, pageId);
  const rendering = { page, model, texts, nowMs };
  const paths = await publishHistory(sql, rendering, sources);
  await publishMaintenances(
    sql,
    rendering,
    ofMaintenances.map(({ maintenance }) => maintenance),
  );
  const isComplete = await publishIncidents(sql, rendering, sources);
  await deleteOtherDocuments(sql, pageId, page, paths);
  const next =
    isComplete && !texts.isExhausted ? Math.min(nowMs + refreshMs, nextMidnight(page.timezone, nowMs)) : nowMs;
  await finishPublication(sql, pageId, next, nowMs);
}

export type PublishOutcome = { pageId: string; error: string | null } | null;

/**
 * Publishes one due page; null if none is due. A page that cannot be rendered is postponed and delays no other.
 * `onClaim` is called before the page is read and rendered.
 */
export async function publishDue(
  pool: pg.Pool,
  publication: Omit<Publication, 'texts' | 'level'>,
  onClaim: (pageId: string) => void = () => {},
): Promise<PublishOutcome> {
  const { nowMs } = publication;
  let claimed: ClaimedPage | null = null;
  const texts = new Texts();
  try {
    claimed = await transaction(pool, async sql => {
      const page = await claimDue(sql, nowMs);
      if (page === null) return null;
      claimed = page;
      onClaim(page.id);
      await noteTurn(sqlOf(pool), page.projectId, nowMs);
      await publishPage(sql, page.id, { ...publication, texts, level: page.level });
      return page;
    });
  } catch (error) {
    if (claimed === null) throw error;
    const { id } = claimed as ClaimedPage;
    const message = error instanceof Error ? error.message : String(error);
    await postponePublication(sqlOf(pool), id, nowMs + retryMs, message.slice(0, 200));
    return { pageId: id, error: message };
  }
  // Not within the publication: whoever edits an update would wait for its row.
  if (claimed !== null) await saveTexts(sqlOf(pool), texts);
  return claimed === null ? null : { pageId: claimed.id, error: null };
}
