import { fill } from '../document/environment.ts';
import { type DocumentItem, identityOf } from '../document/merge.ts';
import type { Body, ConfigKind, ResourceRow } from '../kinds/kind.ts';
import { type Resolve, resolveReferences } from '../kinds/references.ts';
import { namePatterns } from '../kinds/types.ts';
import { decide, type Present, presentOf } from './decide.ts';
import { digestOf, type Found, isReader, note, type Run, seen } from './run.ts';

/** Compares the items of a type with what is there. Returns those that may change something. */
export function readItems(run: Run, kind: ConfigKind, rows: readonly ResourceRow[]): Found[] {
  const present = presentOf(kind.type, rows, run.owners);
  const taken = new Set<string>();
  const changed: Found[] = [];
  for (const item of run.wanted.merged.items) {
    if (item.type !== kind.type) continue;
    const found = readItem(run, kind, item, present, taken);
    if (found === null) continue;
    if (isUnchanged(run, kind, found)) continue;
    const { decision } = found;
    if ('row' in decision && kind.isNewer?.(decision.row) === true)
      note(run, found, { action: 'conflict', reason: 'newer_version' });
    else changed.push(found);
  }
  return changed;
}

/** Null if it refers to an item that is not valid itself. */
function readItem(run: Run, kind: ConfigKind, item: DocumentItem, present: Present, taken: Set<string>): Found | null {
  const { environment, adopt, merged } = run.wanted;
  const parentId = item.parent === '' ? '' : run.ids.get(identityOf('status_pages', '', item.parent));
  if (parentId === undefined) return null;
  const filled = fill(kind.type in namePatterns ? { ...item.item, name: item.key } : item.item, environment);
  const resolved = resolveReferences(filled.item as Body, kind.references, resolverOf(run));
  if (resolved.blocked) return null;
  const filledItem = { key: item.key, item: filled.item as Body };
  const decision = decide(kind, filledItem, present, { manager: merged.manager, adopt, parentId, taken });
  const row = 'row' in decision ? decision.row : null;
  const name = identityOf(item.type, item.parent, item.key);
  if (row === null) run.outcome.basis[name] = 'none';
  else {
    taken.add(row.id);
    run.outcome.basis[name] = seen(run.untouched.get(row.id) ?? row, present.owners.get(row.id));
    run.keys.set(row.id, item.key);
    // What waits for it is compared all the same.
    run.ids.set(name, row.id);
  }
  const digest = digestOf(run, kind, resolved.body, row?.also ?? '');
  return { item, filled, resolved, parentId, decision, digest, uncompared: new Set() };
}

/** Whether nothing is left to do for an item: it is as the last apply left it, or it cannot be written. */
function isUnchanged(run: Run, kind: ConfigKind, found: Found): boolean {
  const { decision, digest } = found;
  if (decision.action === 'conflict') {
    note(run, found, { action: 'conflict', reason: decision.reason });
    return true;
  }
  if (decision.action !== 'update') return false;
  const { owner, row } = decision;
  if (isReader(run, kind) && mayHoldSecrets(kind, found)) return false;
  if (owner?.digest !== digest || owner.seen_at !== row.updated_at) return false;
  run.outcome.unchanged += 1;
  run.settled.get(kind)?.push({ found, id: row.id });
  return true;
}

/** A digest of guesses would say whether they are right. */
function mayHoldSecrets({ secretMembers }: ConfigKind, { filled, resolved }: Found): boolean {
  return filled.pointers.size > 0 || secretMembers.some(name => Object.hasOwn(resolved.body, name));
}

function resolverOf({ isDocumented, ids }: Run): Resolve {
  return (type, key) => {
    const [parent = '', own = ''] = type === 'components' ? key.split('/') : ['', key];
    const name = identityOf(type, parent, own);
    return isDocumented.has(name) ? ids.get(name) : null;
  };
}
