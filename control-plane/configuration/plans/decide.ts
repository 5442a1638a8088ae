import { slugOf } from '../../publishing/status-pages/status-page.ts';
import type { DocumentItem } from '../document/merge.ts';
import type { ConfigKind, ResourceRow } from '../kinds/kind.ts';
import type { Owner } from '../owners/store.ts';
import type { ConflictReason } from './plan.ts';

/** What is there of one type before anything is written. */
export type Present = {
  rows: ReadonlyMap<string, ResourceRow>;
  /** Rows by page and name. */
  byName: ReadonlyMap<string, readonly ResourceRow[]>;
  owners: ReadonlyMap<string, Owner>;
  /** Owners by page and key. */
  byKey: ReadonlyMap<string, Owner>;
};

export type Decision =
  /** `owner`: of what had the key, and is gone. */
  | { action: 'create'; owner: Owner | undefined }
  | { action: 'update' | 'adopt'; row: ResourceRow; owner: Owner | undefined }
  | { action: 'conflict'; reason: ConflictReason; row: ResourceRow };

export function presentOf(type: string, rows: readonly ResourceRow[], owners: readonly Owner[]): Present {
  const own = owners.filter(owner => owner.type === type);
  return {
    rows: new Map(rows.map(row => [row.id, row])),
    byName: Map.groupBy(rows, row => nameIn(row.parent_id, row.name)),
    owners: new Map(own.map(owner => [owner.resource_id, owner])),
    byKey: new Map(own.map(owner => [nameIn(owner.parent_id, owner.key), owner])),
  };
}

/** Pure: what an item of the documents means for what is there. */
export function decide(
  kind: ConfigKind,
  { key, item }: Pick<DocumentItem, 'key' | 'item'>,
  { rows, byName, owners, byKey }: Present,
  {
    manager,
    adopt,
    parentId,
    taken,
  }: { manager: string; adopt: boolean; parentId: string; taken: ReadonlySet<string> },
): Decision {
  const owner = byKey.get(nameIn(parentId, key));
  const row = owner === undefined ? undefined : rows.get(owner.resource_id);
  if (owner !== undefined && row !== undefined) {
    if (owner.managed_by === manager) return { action: 'update', row, owner };
    if (owner.managed_by !== null) return { action: 'conflict', reason: 'other_manager', row };
    return adopt ? { action: 'adopt', row, owner } : { action: 'conflict', reason: 'exists_unmanaged', row };
  }
  const free = byName.get(nameIn(parentId, nameOf(kind, item)))?.find(({ id }) => !taken.has(id) && !owners.has(id));
  if (free === undefined) return { action: 'create', owner };
  if (adopt) return { action: 'adopt', row: free, owner: undefined };
  return { action: 'conflict', reason: 'exists_unmanaged', row: free };
}

function nameOf({ named }: ConfigKind, item: Readonly<Record<string, unknown>>): string {
  const given = item[named];
  if (named === 'slug' && typeof given !== 'string') return slugOf(String(item.name ?? '')) ?? '';
  return String(given ?? '').trim();
}

function nameIn(parentId: string, name: string): string {
  return `${parentId}\n${name}`;
}
