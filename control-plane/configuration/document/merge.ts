import { posix } from 'node:path';
import { type ConfigType, configTypes } from '#shared/config-types.ts';
import { pointerTo } from '../../platform/http/bodies/unknown-fields.ts';
import type { FieldCode } from '../../platform/http/problem.ts';
import { configKinds } from '../kinds/kinds.ts';
import { namePatterns } from '../kinds/types.ts';
import type { DocumentError, Source } from './source.ts';

type Item = Readonly<Record<string, unknown>>;

/** One resource of the documents. `parent` is the key of a component's page, '' for all others. */
export type DocumentItem = {
  type: ConfigType;
  key: string;
  parent: string;
  item: Item;
  source: Source;
  pointer: string;
};

/** All documents together; `errors` are those that the documents show by themselves. */
export type Merged = { manager: string; items: readonly DocumentItem[]; errors: readonly DocumentError[] };

const topLevel = new Set(['upquorum', 'manager', 'include', 'defaults', 'project', ...configTypes]);
export const managerPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const keyPattern = /^[a-z0-9][a-z0-9._-]{0,99}$/;
/** Types of which the documents have no list of their own. */
const nested: ReadonlySet<ConfigType> = new Set(['components']);
export const itemsMax = 5000;

/** Pure: joins the lists of all documents, in byte order of their paths. */
export function mergeSources(sources: readonly Source[], projectId: string): Merged {
  const ordered = sources.toSorted((left, right) => Buffer.compare(bytesOf(left), bytesOf(right)));
  const errors: DocumentError[] = [];
  const refuse: Refuse = (source, pointer, code, detail) => {
    errors.push({ pointer, code, detail, ...source.positionOf(pointer) });
  };
  const roots = ordered.flatMap((source): Root[] => {
    if (isObject(source.value)) return [{ source, root: source.value }];
    refuse(source, '', 'type', 'must be an object');
    return [];
  });
  const defaults: Defaults = new Map();
  for (const { source, root } of roots) {
    checkMembers(source, root, projectId, refuse);
    checkIncludes(source, root, ordered, refuse);
    collectDefaults(source, root, defaults, refuse);
  }
  const manager = managerOf(roots, refuse);
  const [anywhere] = ordered;
  if (manager === null && anywhere !== undefined && errors.length === 0)
    refuse(anywhere, '', 'required', 'no document has a `manager`: the name that marks what these documents own');
  const items = itemsOf(roots, defaults, refuse);
  if (items.length > itemsMax && anywhere !== undefined)
    refuse(anywhere, '', 'too_long', `the documents have ${items.length} resources; at most ${itemsMax}`);
  return { manager: manager ?? '', items, errors };
}

type Root = { source: Source; root: Item };
type Defaults = Map<ConfigType, Map<string, { value: unknown; where: string }>>;
type Refuse = (source: Source, pointer: string, code: FieldCode, detail: string) => void;

function checkMembers(source: Source, root: Item, projectId: string, refuse: Refuse): void {
  for (const name of Object.keys(root))
    if (!topLevel.has(name) || nested.has(name as ConfigType))
      refuse(source, pointerTo([name]), 'not_allowed', notKnown(name));
  if (root.upquorum !== 1) refuse(source, '/upquorum', 'required', 'must be 1, in each file');
  if (root.project !== undefined && root.project !== projectId)
    refuse(source, '/project', 'not_allowed', 'is not the project of the token');
}

/** The one name that the documents give; null if none does. */
function managerOf(roots: readonly Root[], refuse: Refuse): string | null {
  let manager: { name: string; where: string } | null = null;
  for (const { source, root } of roots) {
    const { manager: name } = root;
    if (name === undefined) continue;
    if (typeof name !== 'string' || !managerPattern.test(name))
      refuse(source, '/manager', 'format', 'must be lower-case letters, digits and hyphens, at most 63');
    else if (manager === null) manager = { name, where: placeOf(source, '/manager') };
    else if (manager.name !== name)
      refuse(source, '/manager', 'not_allowed', `is ${name}, but ${manager.name} at ${manager.where}`);
  }
  return manager?.name ?? null;
}

/** The resources of all lists, each with its defaults; components follow their page. */
function itemsOf(roots: readonly Root[], defaults: Defaults, refuse: Refuse): DocumentItem[] {
  const items: DocumentItem[] = [];
  const seen = new Map<string, string>();
  const add = (source: Source, type: ConfigType, list: unknown, pointer: string, parent: string): void => {
    if (list === undefined || list === null) return;
    if (!Array.isArray(list)) return refuse(source, pointer, 'type', 'must be a list');
    for (const [index, given] of list.entries()) {
      const at = `${pointer}/${index}`;
      const keyed = readKeyed(source, at, given, type, refuse);
      if (keyed === null) continue;
      const { key, components, item } = keyed;
      const name = identityOf(type, parent, key);
      const before = seen.get(name);
      if (before !== undefined) {
        refuse(source, `${at}/key`, 'not_allowed', `is given twice: ${placeOf(source, at)} and ${before}`);
        continue;
      }
      seen.set(name, placeOf(source, at));
      const isPage = type === 'status_pages';
      const whole = isPage || components === undefined ? item : { ...item, components };
      items.push({ type, key, parent, item: withDefaults(type, whole, defaults.get(type)), source, pointer: at });
      if (isPage) add(source, 'components', components, `${at}/components`, key);
    }
  };
  for (const type of configTypes)
    if (!nested.has(type)) for (const { source, root } of roots) add(source, type, root[type], `/${type}`, '');
  return items;
}

/** A resource of a list apart from its key and its components; null if it has no valid key. */
function readKeyed(
  source: Source,
  at: string,
  given: unknown,
  type: ConfigType,
  refuse: Refuse,
): { key: string; components: unknown; item: Item } | null {
  if (!isObject(given)) {
    refuse(source, at, 'type', 'must be an object');
    return null;
  }
  const { key, components, ...item } = given;
  const names = namePatterns[type];
  if (typeof key === 'string' && (names ?? keyPattern).test(key)) return { key, components, item };
  if (key === undefined) refuse(source, `${at}/key`, 'required', 'is required');
  else if (names !== undefined)
    refuse(source, `${at}/key`, 'format', 'must be the name: capital letters, digits and `_`, at most 64');
  else refuse(source, `${at}/key`, 'format', 'must be lower-case letters, digits, `.`, `_` and `-`, at most 100');
  return null;
}

/** The name of a resource among all of the documents. */
export function identityOf(type: ConfigType, parent: string, key: string): string {
  return type === 'components' ? `${type} ${parent}/${key}` : `${type} ${key}`;
}

function checkIncludes(source: Source, root: Item, all: readonly Source[], refuse: Refuse): void {
  if (root.include === undefined || root.include === null) return;
  if (!Array.isArray(root.include)) return refuse(source, '/include', 'type', 'must be a list of paths');
  const folder = source.path?.includes('/') === true ? source.path.slice(0, source.path.lastIndexOf('/') + 1) : '';
  for (const [index, path] of root.include.entries()) {
    const wanted = posix.normalize(`${folder}${String(path)}`);
    const isThere = all.some(other => other.path === wanted || other.path?.startsWith(wanted.replace(/\/?$/, '/')));
    if (!isThere) refuse(source, `/include/${index}`, 'unknown_reference', 'no document of the request has this path');
  }
}

function collectDefaults(source: Source, root: Item, defaults: Defaults, refuse: Refuse): void {
  if (root.defaults === undefined || root.defaults === null) return;
  if (!isObject(root.defaults)) return refuse(source, '/defaults', 'type', 'must be an object');
  for (const [type, members] of Object.entries(root.defaults)) {
    const pointer = pointerTo(['defaults', type]);
    if (!configTypes.includes(type as ConfigType)) refuse(source, pointer, 'not_allowed', notKnown(type));
    else if (!isObject(members)) refuse(source, pointer, 'type', 'must be an object');
    else
      for (const [name, value] of Object.entries(members)) {
        const at = pointerTo(['defaults', type, name]);
        const known = defaults.get(type as ConfigType) ?? new Map<string, { value: unknown; where: string }>();
        defaults.set(type as ConfigType, known);
        const before = known.get(name);
        if (name === 'key') refuse(source, at, 'not_allowed', 'each resource has a key of its own');
        else if (before === undefined) known.set(name, { value, where: placeOf(source, at) });
        else if (JSON.stringify(before.value) !== JSON.stringify(value))
          refuse(source, at, 'not_allowed', `has another value at ${before.where}`);
      }
  }
}

/** Defaults that an item does not take are passed over. */
function withDefaults(
  type: ConfigType,
  item: Item,
  defaults: ReadonlyMap<string, { value: unknown }> | undefined,
): Item {
  if (defaults === undefined) return item;
  const all = { ...Object.fromEntries([...defaults].map(([name, { value }]) => [name, value])), ...item };
  const { takes } = configKinds[type];
  const taken = Object.entries(all).filter(([name]) => Object.hasOwn(item, name) || takes?.(all, item, name) !== false);
  return Object.fromEntries(taken);
}

function placeOf(source: Source, pointer: string): string {
  const { path, line } = source.positionOf(pointer);
  return path === null ? pointer : `${path}:${line}`;
}

function notKnown(name: string): string {
  const hint = name === 'reports' ? ': not yet supported in documents' : '';
  const known = [...topLevel].filter(member => !nested.has(member as ConfigType));
  return `is not a member of documents${hint}; there are ${known.join(', ')}`;
}

function bytesOf({ path }: Source): Buffer {
  return Buffer.from(path ?? '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
