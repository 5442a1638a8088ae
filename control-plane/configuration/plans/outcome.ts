import { isDeepStrictEqual } from 'node:util';
import { type Change, changedNames, type Fields } from '../../platform/audit/entry.ts';
import type { Problem } from '../../platform/http/problem.ts';
import type { DocumentItem } from '../document/merge.ts';
import type { DocumentError } from '../document/source.ts';
import type { ConfigKind } from '../kinds/kind.ts';
import { itemPointer, nameReferences } from '../kinds/references.ts';
import type { Action, ConflictReason, Counts } from './plan.ts';

const masked = '********';

/** The conflict that a refusal of the API means; null for every other problem. */
export function conflictOf({ code }: Problem): ConflictReason | null {
  switch (code) {
    case 'name_taken':
    case 'slug_taken':
    case 'limit_reached':
      return code;
    case 'channel_in_use':
    case 'secret_in_use':
    case 'component_in_use':
    case 'status_page_in_use':
      return 'in_use';
    default:
      return null;
  }
}

/** Pure: the fields that differ. Secrets are masked, and so is what has a value of the environment. */
export function changesOf(
  kind: ConfigKind,
  { before, after }: Pick<Change, 'before' | 'after'>,
  secretMembers: ReadonlySet<string>,
  keyOf: (id: string) => string,
): Action['changes'] {
  if (before === null || after === null) return [];
  const show = (fields: Fields): Fields => nameReferences(fields, kind.references, keyOf);
  const [old, present] = [show(before), show(after)];
  const isSecret = (name: string) => secretMembers.has(name) || (name.startsWith('url_') && secretMembers.has('url'));
  return changedNames(old, present).flatMap(name =>
    isSecret(name)
      ? [{ pointer: `/${name}`, before: masked, after: masked }]
      : differencesOf(`/${name}`, old[name], present[name]),
  );
}

/** Pure: what differs, as deep as there is an object on both sides. */
function differencesOf(pointer: string, before: unknown, after: unknown): Action['changes'] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isPlainObject(before) || !isPlainObject(after)) return [{ pointer, before: plain(before), after: plain(after) }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap(name => {
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return differencesOf(`${pointer}/${step}`, before[name], after[name]);
  });
}

function isPlainObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** As JSON: a sealed value becomes a mask. */
function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

/** Pure: the errors of an item, where the documents have them. */
export function errorsOf(kind: ConfigKind, { source, pointer, item }: DocumentItem, problem: Problem): DocumentError[] {
  return (problem.details.errors ?? []).flatMap(error => {
    if (!('pointer' in error)) return [];
    const at = `${pointer}${itemPointer(error.pointer, kind.references, item)}`;
    return [{ ...source.positionOf(at), pointer: at, code: error.code, detail: error.detail }];
  });
}

export function countsOf(actions: readonly Pick<Action, 'action'>[], unchanged: number): Counts {
  const counts: Counts = { create: 0, update: 0, adopt: 0, delete: 0, unchanged, conflict: 0 };
  for (const { action } of actions) counts[action] += 1;
  return counts;
}
