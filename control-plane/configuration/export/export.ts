import { type ConfigType, configTypes } from '#shared/config-types.ts';
import type { Endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { itemsMax } from '../document/merge.ts';
import type { Body, ConfigKind } from '../kinds/kind.ts';
import { configKinds, orderedKinds } from '../kinds/kinds.ts';
import { requireScopes } from '../kinds/scopes.ts';
import { namePatterns } from '../kinds/types.ts';
import { listOwners, type Owner } from '../owners/store.ts';
import { itemOf } from './item.ts';
import { freeKey, keyFrom } from './keys.ts';
import { withPlaceholders } from './placeholders.ts';
import { type Exported, type Reading, readResources } from './read.ts';

type Asked = { manager: string | null; types: readonly ConfigType[] | null };
type Services = { keyring: Keyring; endpoints: readonly Endpoint[] };

/** The project, or what a manager manages, as one document. Throws `insufficient_scope`, `invalid_parameter`. */
export async function exportDocument(
  { keyring, endpoints }: Services,
  reading: Reading,
  { manager, types }: Asked,
): Promise<Body> {
  const { sql, caller } = reading;
  const asked = types ?? configTypes;
  requireScopes(asked, caller.scopes, 'read');
  const owners = new Map((await listOwners(sql, caller.projectId)).map(owner => [owner.resource_id, owner]));
  const keys = new Map<string, string>();
  const all = new Map<ConfigKind, readonly Exported[]>();
  for (const kind of orderedKinds) {
    // Types that are not asked for lend their keys.
    if (!asked.includes(kind.type)) continue;
    const read = await readResources(kind, endpoints, keyring, reading);
    const own = read.filter(({ id }) => manager === null || owners.get(id)?.managed_by === manager);
    all.set(kind, own);
    nameResources(kind, own, owners, keys);
  }
  const count = [...all.values()].reduce((sum, list) => sum + list.length, 0);
  if (count > itemsMax) throw tooMany(count);
  const used = new Set<string>();
  const list = (kind: ConfigKind, only: (settings: Body) => boolean = () => true): Body[] => {
    const post = endpoints.find(({ method, path }) => method === 'post' && path === kind.path);
    const items = (all.get(kind) ?? []).filter(({ settings }) => only(settings));
    const ordered = isOrdered(kind) ? items.toSorted(byPosition) : items.toSorted(byKey(keys));
    return ordered.map(({ id, settings }) => {
      const key = keys.get(id) ?? '';
      const item = post?.body == null ? {} : itemOf(kind, post.body, settings, other => referenceOf(keys, other));
      const filled = withPlaceholders(item, [kind.type, key.replace(/^.*\//, '')], used) as Body;
      const parts = kind.type === 'status_pages' ? componentsOf(id) : {};
      return { key: key.replace(/^.*\//, ''), ...filled, ...parts };
    });
  };
  const componentsOf = (pageId: string): Body => {
    const components = list(configKinds.components, settings => settings.status_page_id === pageId);
    return components.length === 0 ? {} : { components };
  };
  const lists = orderedKinds
    .filter(({ type }) => type !== 'components')
    .flatMap((kind): [string, Body[]][] => {
      const items = list(kind);
      return items.length === 0 ? [] : [[kind.type, items]];
    });
  return { upquorum: 1, manager: manager ?? 'exported', ...Object.fromEntries(lists) };
}

/** Gives each resource its key, or one from its name; components with the key of their page before it. */
function nameResources(
  kind: ConfigKind,
  resources: readonly Exported[],
  owners: ReadonlyMap<string, Owner>,
  keys: Map<string, string>,
): void {
  const pageOf = ({ settings }: Exported) =>
    kind.type === 'components' ? `${keys.get(String(settings.status_page_id)) ?? settings.status_page_id}/` : '';
  const taken = new Set<string>();
  for (const resource of resources) {
    const key = owners.get(resource.id)?.key;
    if (key === undefined) continue;
    keys.set(resource.id, `${pageOf(resource)}${key}`);
    taken.add(`${pageOf(resource)}${key}`);
  }
  for (const resource of resources.toSorted((left, right) => (left.id < right.id ? -1 : 1))) {
    if (keys.has(resource.id)) continue;
    const name = String(resource.settings[kind.named] ?? '');
    const own = kind.type in namePatterns ? name : keyFrom(name);
    const key = freeKey(`${pageOf(resource)}${own}`, taken);
    keys.set(resource.id, key);
    taken.add(key);
  }
}

function referenceOf(keys: ReadonlyMap<string, string>, id: string): string {
  return keys.get(id) ?? id;
}

function isOrdered({ type }: ConfigKind): boolean {
  return type === 'routes' || type === 'components';
}

function byPosition(left: Exported, right: Exported): number {
  return Number(left.settings.position) - Number(right.settings.position) || (left.id < right.id ? -1 : 1);
}

function byKey(keys: ReadonlyMap<string, string>) {
  return (left: Exported, right: Exported) => ((keys.get(left.id) ?? '') < (keys.get(right.id) ?? '') ? -1 : 1);
}

function tooMany(count: number): Problem {
  const detail = `there are ${count} resources, and a document has at most ${itemsMax}; choose fewer types`;
  return new Problem('invalid_parameter', { errors: [{ parameter: 'types', code: 'out_of_range', detail }] });
}
