import type { z } from 'zod';
import type { JsonObject } from '../../platform/openapi/components.ts';
import { describeProperties } from '../../platform/openapi/describe-properties.ts';
import { documentSchema } from '../../platform/openapi/schema.ts';
import type { ConfigKind, Reference } from '../kinds/kind.ts';
import { namePatterns } from '../kinds/types.ts';

/** Where `{$env: NAME}` is described. */
const environmentValue = { $ref: '#/definitions/env' };
const lists = ['anyOf', 'oneOf', 'allOf'] as const;

/** Pure: the schema of an item of documents, made from what the API's POST takes. */
export function itemSchema(kind: ConfigKind, post: z.ZodType): JsonObject {
  const described = describeProperties({ [kind.resource]: documentSchema(post) })[kind.resource] as JsonObject;
  const renamed = kind.references.reduce(renameReference, described);
  return asItem(withEnvironment(renamed) as JsonObject, kind);
}

/** Pure: the members that defaults may give, of which none is needed. */
export function defaultsSchema(item: JsonObject): JsonObject {
  return eachObject(item, ({ required: _, properties, ...schema }) => {
    const { key: _key, components: _components, ...members } = properties as JsonObject;
    return { ...schema, properties: members };
  });
}

/** What an item has beside the members of the API, and what it does not need itself, as defaults may have it. */
function asItem(schema: JsonObject, { type, without, named }: ConfigKind): JsonObject {
  return eachObject(schema, ({ properties, required = [], ...others }) => {
    const members = Object.entries(properties as JsonObject).filter(([name]) => !without.includes(name));
    const needed = (required as string[]).filter(name => name === named && !without.includes(name));
    const names = namePatterns[type];
    const key = names === undefined ? { $ref: '#/definitions/key' } : { type: 'string', pattern: names.source };
    return { ...others, properties: { key, ...Object.fromEntries(members) }, required: ['key', ...needed] };
  });
}

/** A union of variants, or one object. */
function eachObject(schema: JsonObject, change: (object: JsonObject) => JsonObject): JsonObject {
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? { ...schema, anyOf: anyOf.map(one => change(one as JsonObject)) } : change(schema);
}

/** IDs become keys, by the name that documents have. */
function renameReference(schema: JsonObject, reference: Reference): JsonObject {
  const { within, name, field, type } = reference;
  const variants = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(variants)) {
    const { oneOf: _, ...others } = schema;
    return { ...others, anyOf: variants.map(variant => renameReference(variant as JsonObject, reference)) };
  }
  const [step, ...rest] = within;
  if (step === '*')
    return { ...schema, items: renameReference(schema.items as JsonObject, { ...reference, within: rest }) };
  const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
  if (step !== undefined) {
    const inner = properties[step] ?? {};
    return { ...schema, properties: { ...properties, [step]: renameReference(inner, { ...reference, within: rest }) } };
  }
  const { [field]: given, ...others } = properties;
  if (given === undefined) return schema;
  const types = type.replaceAll('_', ' ');
  const description =
    given.type === 'array' ? `Keys of ${types} in the documents, or IDs of others.` : `Key among ${types}, or an ID.`;
  const required = (schema.required as string[] | undefined)?.map(one => (one === field ? name : one));
  return {
    ...schema,
    properties: { ...others, [name]: { ...given, description } },
    ...(required === undefined ? {} : { required }),
  };
}

/** Each text may be `{$env: NAME}`. With it, several variants of a union may fit. */
function withEnvironment(node: unknown): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  const schema = Object.fromEntries(
    Object.entries(node as JsonObject).map(([name, value]): [string, unknown] => {
      if (name === 'properties')
        return [
          name,
          Object.fromEntries(Object.entries(value as JsonObject).map(([key, one]) => [key, withEnvironment(one)])),
        ];
      if (name === 'oneOf') return ['anyOf', (value as unknown[]).map(withEnvironment)];
      if (lists.includes(name as (typeof lists)[number])) return [name, (value as unknown[]).map(withEnvironment)];
      return [name, name === 'items' || name === 'additionalProperties' ? withEnvironment(value) : value];
    }),
  ) as JsonObject;
  if (!isText(schema)) return schema;
  const { description, default: given, ...text } = schema;
  const { anyOf } = text;
  const choices = Array.isArray(anyOf) ? anyOf : [text];
  return {
    ...(description === undefined ? {} : { description }),
    ...(given === undefined ? {} : { default: given }),
    anyOf: [...choices, environmentValue],
  };
}

function isText({ type, enum: values, const: only }: JsonObject): boolean {
  const texts: unknown[] = Array.isArray(values) ? values : [only];
  return [type].flat().includes('string') || texts.some(value => typeof value === 'string');
}
