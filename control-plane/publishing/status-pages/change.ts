import type { Fields } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { hasChanges } from '../../platform/http/endpoint/has-changes.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';
import { lockProject } from '../../platform/projects/store.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { askedAccess, setAccess, writeGate } from './access/change-access.ts';
import { type NewAccess, newLink } from './access/secrets.ts';
import { countSubscribers } from './access/store.ts';
import { auditPage } from './audit.ts';
import { announceHosts, isProven, removeDomains } from './domains/store.ts';
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
  type StatusPageRow,
  updateLogo,
  updateStatusPage,
} from './store.ts';

type Owner = { projectId: string; id: string };
/** `link`: the secret of a link that was made. */
export type PageChange = { before: Fields; after: Fields; link: string | null; warnings: string[] };

/**
 * Changes the fields that are given. Returns the page before and after. Under a new slug the page is served at once,
 * and its former ones lead there. Throws `not_found`, `slug_taken`, `limit_reached`.
 */
export async function changeStatusPage(
  sql: Sql,
  owner: Owner & { expectedUpdate: number | null },
  { access: askedFor, ...asked }: StatusPagePatch,
  keyring: Keyring,
  nowMs: number,
): Promise<PageChange> {
  const { projectId, id } = owner;
  const patch = await withoutSameLogo(sql, id, asked);
  // In the order of a change of members, which locks the project first, and of a publication, which locks its row.
  if ([patch.slug, askedFor, patch.canonical_domain].some(field => field !== undefined)) {
    await lockProject(sql, projectId);
    await lockPublication(sql, id, nowMs);
  }
  const page = await lockStatusPage(sql, projectId, id);
  if (page === null) throw new Problem('not_found');
  requireUnchanged(owner.expectedUpdate, page.updated_at);
  const before = await auditPage(sql, page);
  const access = await askedAccess(page, askedFor, keyring);
  const same: PageChange = { before, after: before, link: null, warnings: [] };
  if (!hasChanges(patch, page) && access === null) return same;
  const domain = patch.canonical_domain ?? null;
  if (domain !== null && domain !== page.canonical_domain && !(await isProven(sql, id, domain)))
    throw fieldProblem('/canonical_domain', 'unknown_reference', 'must be a verified domain of the page');
  const moves = patch.slug !== undefined && patch.slug !== page.slug;
  if (moves) await takeSlug(sql, owner, { from: page.slug, to: patch.slug ?? page.slug }, nowMs);
  await updateStatusPage(sql, projectId, id, patch, nowMs);
  if (patch.logo !== undefined) await updateLogo(sql, projectId, id, patch.logo);
  if (moves) await moveDocuments(sql, id, patch.slug ?? page.slug);
  if (patch.canonical_domain !== undefined) await announceHosts(sql);
  const changed = await finishChange(sql, owner, { access, republishes: moves || access !== null }, keyring, nowMs);
  await requestPublication(sql, [id], nowMs);
  const becomesPrivate = page.access_type === 'public' && access !== null;
  return {
    before,
    after: changed === null ? before : await auditPage(sql, changed),
    link: access?.link ?? null,
    warnings: becomesPrivate ? await warningsOf(sql, id) : [],
  };
}

/** Makes another link for a page that is seen by link. Throws `not_found`, or `wrong_kind` for others. */
export async function rotateLink(sql: Sql, owner: Owner, keyring: Keyring, nowMs: number): Promise<PageChange> {
  await lockPublication(sql, owner.id, nowMs);
  const page = await lockStatusPage(sql, owner.projectId, owner.id);
  if (page === null) throw new Problem('not_found');
  if (page.access_type !== 'link')
    throw new Problem('wrong_kind', { detail: 'the page has no link: its access is of another type' });
  const access = newLink();
  const before = await auditPage(sql, page);
  const changed = await finishChange(sql, owner, { access, republishes: true }, keyring, nowMs);
  const after = changed === null ? before : await auditPage(sql, changed);
  return { before, after, link: access.link, warnings: [] };
}

/** Who may see the page is published in the transaction that changes it, and with it where it is. */
async function finishChange(
  sql: Sql,
  { projectId, id }: Owner,
  { access, republishes }: { access: NewAccess | null; republishes: boolean },
  keyring: Keyring,
  nowMs: number,
): Promise<StatusPageRow | null> {
  const moved = await findStatusPage(sql, projectId, id);
  if (moved === null || !republishes) return moved;
  if (access !== null) await setAccess(sql, moved, access, keyring, nowMs);
  const changed = access === null ? moved : await findStatusPage(sql, projectId, id);
  if (changed === null) return null;
  if (changed.access_type === 'public') await redirectFormer(sql, changed, nowMs);
  else await writeGate(sql, changed, keyring, nowMs);
  await announceDocuments(sql, id);
  return changed;
}

async function warningsOf(sql: Sql, id: string): Promise<string[]> {
  const count = await countSubscribers(sql, id);
  if (count === 0) return [];
  const who = count === 1 ? '1 subscriber' : `${count} subscribers`;
  return [`The page keeps its ${who}: updates are still sent to them. Delete those who must not get them.`];
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
  await removeDomains(sql, id, null, nowMs);
  await announceHosts(sql);
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

async function redirectFormer(sql: Sql, page: StatusPageRow, nowMs: number): Promise<void> {
  const owner = { id: page.id, projectId: page.project_id };
  for (const former of await listFormerSlugs(sql, page.id))
    await saveDocument(sql, owner, redirectDocument(former, page.slug), nowMs);
}
