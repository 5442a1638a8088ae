import { isDeepStrictEqual } from 'node:util';

export type JsonObject = Record<string, unknown>;

const reference = '#/components/schemas/';

export function isObject(node: unknown): node is JsonObject {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

/** Collects the schemas that have a title, so that each is written once and clients get a type of that name. */
export class Components {
  readonly #schemas = new Map<string, JsonObject>();

  /**
   * The schema with every titled one below it replaced by a reference to it, itself included. What reads otherwise
   * under the same title (the same resource as a client sends it) gets the title with `suffix`.
   */
  name(schema: JsonObject, suffix: string): JsonObject {
    return this.#walk(schema, suffix) as JsonObject;
  }

  /** The same for a body or an answer: what has no title gets `title`. */
  nameWhole(schema: JsonObject, suffix: string, title: string): JsonObject {
    const named = this.name(schema, suffix);
    return typeof named.$ref === 'string' ? named : this.#refer(title, named, suffix);
  }

  /** The schema of a name. */
  find(name: string): JsonObject | undefined {
    return this.#schemas.get(name);
  }

  /** All named schemas, by name. */
  schemas(): Record<string, JsonObject> {
    return Object.fromEntries([...this.#schemas].sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  #walk(node: unknown, suffix: string): unknown {
    if (Array.isArray(node)) return node.map(item => this.#walk(item, suffix));
    if (!isObject(node)) return node;
    const walked = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, this.#walk(value, suffix)]));
    const { title } = walked;
    return typeof title === 'string' && isSchema(walked) ? this.#refer(title, walked, suffix) : walked;
  }

  /** What is said of a schema in one place stays there, beside the reference. */
  #refer(title: string, { description, ...schema }: JsonObject, suffix: string): JsonObject {
    const described = description === undefined ? {} : { description };
    for (const name of [title, `${title}${suffix}`, `${title}${suffix}2`]) {
      const known = this.#schemas.get(name);
      if (known === undefined) this.#schemas.set(name, schema);
      if (known === undefined || isDeepStrictEqual(known, schema)) return { $ref: `${reference}${name}`, ...described };
    }
    throw new Error(`too many schemas are titled ${title}`);
  }
}

/** A property may be named `title`, too; then its value is a schema and no text. */
function isSchema(node: JsonObject): boolean {
  return ['type', 'anyOf', 'oneOf', 'allOf'].some(key => key in node);
}
