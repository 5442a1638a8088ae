import { freeKey, keyFrom } from '../../../../control-plane/configuration/export/keys.ts';
import { type Choices, type EnvReference, type Imported, type Item, type Reported, SourceError } from '../imported.ts';
import { Thing } from './thing.ts';

/** The types of resources that importers write, in the order of documents. */
const types = ['channels', 'monitors', 'status_pages', 'routes', 'maintenances'] as const;
export type ResourceType = (typeof types)[number];

/** Values of headers that are shown, as exports show them; all others may be secrets. */
const plainHeaders = new Set(
  'accept accept-encoding accept-language cache-control content-type user-agent origin referer'.split(' '),
);

/** Documents in the making, with the values of their secrets and the report. */
export class Draft {
  readonly #choices: Choices;
  readonly #lists = new Map<ResourceType, Item[]>(types.map(type => [type, []]));
  readonly #keys = new Map<ResourceType, Set<string>>(types.map(type => [type, new Set()]));
  readonly #env = new Map<string, string>();
  readonly #items: Reported[] = [];

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  /** A key that no other resource of the type has. */
  keyFor(type: ResourceType, name: string): string {
    const taken = this.#keys.get(type) ?? new Set();
    const key = freeKey(keyFrom(name), taken);
    taken.add(key);
    return key;
  }

  put(type: ResourceType, key: string, item: Item): void {
    this.#lists.get(type)?.push({ key, ...item });
  }

  itemsOf(type: ResourceType): readonly Item[] {
    return this.#lists.get(type) ?? [];
  }

  /** Begins the report of a thing of the source, which ends with what became of it. */
  thing(type: string, name: string, sourceId: string): Thing {
    return new Thing(type, name, sourceId, reported => this.#items.push(reported));
  }

  /** A reference that stands for a value, of which the path says the name. An empty value needs none. */
  sealed(path: readonly string[], value: string): EnvReference | string {
    if (value === '') return value;
    const wanted = path
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replace(/^[^A-Z]+/, '')
      .slice(0, 90);
    const known = (name: string) => this.#env.has(name) && this.#env.get(name) !== value;
    let name = wanted;
    for (let number = 2; known(name); number++) name = `${wanted}_${number}`;
    this.#env.set(name, value);
    return { $env: name };
  }

  /** A variable that the source itself refers to; its value is empty until somebody fills it in. */
  variable(name: string): EnvReference {
    this.#env.set(name, this.#choices.environment[name] ?? '');
    return { $env: name };
  }

  /** Request headers, of which those that may be secrets are sealed. */
  headers(path: readonly string[], headers: Readonly<Record<string, string>>): Item {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        plainHeaders.has(name.toLowerCase()) ? value : this.sealed([...path, name], value),
      ]),
    );
  }

  /** What an importer hands over. */
  finish(source: string, version: string | null, more: Partial<Imported> = {}): Imported {
    const { manager, regions } = this.#choices;
    const isChecked = this.itemsOf('monitors').some(({ kind }) => kind !== 'heartbeat' && kind !== 'domain');
    if (isChecked && regions.length === 0)
      throw new SourceError('Name the regions that check the monitors: --regions eu-west,us-east');
    const lists = types.flatMap(type => {
      const items = this.itemsOf(type);
      return items.length === 0 ? [] : [[type, items] as const];
    });
    const defaults = regions.length === 0 ? {} : { defaults: { monitors: { regions } } };
    return {
      source,
      version,
      document: { upquorum: 1, manager, ...defaults, ...Object.fromEntries(lists) },
      env: Object.fromEntries(this.#env),
      items: this.#items,
      history: [],
      incidents: [],
      subscribers: [],
      ...more,
    };
  }
}
