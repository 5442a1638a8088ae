import type { Fields } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { hasChanges } from '../../platform/http/endpoint/has-changes.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { Problem } from '../../platform/http/problem.ts';
import { auditPage } from './audit.ts';
import { parseLogo } from './logo.ts';
import { moveDocuments, saveDocument } from './publish/document-store.ts';
import { redirectDocument } from './publish/documents.ts';
import { announceDocuments, lockPublication, requestPublication } from './publish/publication-store.ts';
import { claimSlug, hasLeftTooMany, leaveSlugs, listFormerSlugs } from './slug-store.ts';
import type { StatusPagePatch } from './status-page.ts';
import {
  findStatusPage,
  lockStatusPage,
  markStatusPageDeleted,
  readLogo,
  updateLogo,
  updateStatusPage,
} from './store.ts';

type Owner = { projectId: string; id: string };

/**
 * Changes the fields that are given. Returns the page before and after. Under a new slug the page is served at once,
 * and its former ones lead there. Throws `not_found`, `slug_taken`, `limit_reached`.
 */
export async function changeStatusPage(
  sql: Sql,
  owner: Owner & { expectedUpdate: number | null },
  asked: StatusPagePatch,
  nowMs: number,
): Promise<{ before: Fields; after: Fields }> {
  const { projectId, id } = owner;
  const patch = await withoutSameLogo(sql, id, asked);
  // In the order of a publication, which locks its row first.
  if (patch.slug !== undefined) await lockPublication(sql, id, nowMs);
  const page = await lockStatusPage(sql, projectId, id);
  if (page === null) throw new Problem('not_found');
  requireUnchanged(owner.expectedUpdate, page.updated_at);
  const before = await auditPage(sql, page);
  if (!hasChanges(patch, page)) return { before, after: before };
  const moves = patch.slug !== undefined && patch.slug !== page.slug;
  if (moves) await takeSlug(sql, owner, { from: page.slug, to: patch.slug ?? page.slug }, nowMs);
  await updateStatusPage(sql, projectId, id, patch, nowMs);
  if (patch.logo !== undefined) await updateLogo(sql, projectId, id, patch.logo);
  if (moves) await movePage(sql, owner, patch.slug ?? page.slug, nowMs);
  await requestPublication(sql, [id], nowMs);
  const changed = await findStatusPage(sql, projectId, id);
  return { before, after: changed === null ? before : await auditPage(sql, changed) };
}

/** The row of a page has no logo: one that is there already would count as a change. */
async function withoutSameLogo(sql: Sql, id: string, asked: StatusPagePatch): Promise<StatusPagePatch> {
  const { logo, ...others } = asked;
  if (logo === undefined) return asked;
  const [stored, given] = [await readLogo(sql, id), parseLogo(logo ?? '')];
  const isSame =
    stored === null || given === null
      ? stored === null && given === null
      : stored.contentType === given.contentType && given.bytes.equals(stored.bytes);
  return isSame ? others : asked;
}

/** Deletes a page. Its slugs stay reserved for its project. */
export async function removeStatusPage(sql: Sql, id: string, nowMs: number): Promise<void> {
  await markStatusPageDeleted(sql, id, nowMs);
  await leaveSlugs(sql, id, null, nowMs);
  await requestPublication(sql, [id], nowMs);
}

/** Throws `limit_reached` if the project has given up too many slugs, each of which is taken from everybody else. */
export async function requireFewFormerSlugs(sql: Sql, projectId: string): Promise<void> {
  if (await hasLeftTooMany(sql, projectId))
    throw new Problem('limit_reached', { detail: 'the project has given up too many page addresses this year' });
}

async function takeSlug(
  sql: Sql,
  { projectId, id }: Owner,
  slugs: { from: string; to: string },
  nowMs: number,
): Promise<void> {
  await requireFewFormerSlugs(sql, projectId);
  // A replica of an older version may have created the page without it.
  await claimSlug(sql, slugs.from, { pageId: id, projectId });
  if (!(await claimSlug(sql, slugs.to, { pageId: id, projectId }))) throw new Problem('slug_taken');
  await leaveSlugs(sql, id, slugs.to, nowMs);
}

async function movePage(sql: Sql, { projectId, id }: Owner, slug: string, nowMs: number): Promise<void> {
  await moveDocuments(sql, id, slug);
  for (const former of await listFormerSlugs(sql, id))
    await saveDocument(sql, { id, projectId }, redirectDocument(former, slug), nowMs);
  await announceDocuments(sql, id);
}
