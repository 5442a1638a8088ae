import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Body, ConfigKind } from '../kinds/kind.ts';
import { nameReferences } from '../kinds/references.ts';

/** Pure: an item of documents, from a resource as the API's POST would take it; what is as by default is left out. */
export function itemOf(kind: ConfigKind, post: z.ZodType, settings: Body, keyOf: (id: string) => string): Body {
  const shape = shapeOf(post, settings);
  const members = Object.entries(shape).filter(([name, schema]) => {
    const value = settings[name];
    return !kind.without.includes(name) && value !== undefined && !isDefault(schema, value);
  });
  return nameReferences(Object.fromEntries(members.map(([name]) => [name, settings[name]])), kind.references, keyOf);
}

function isDefault(schema: z.ZodType, value: unknown): boolean {
  if (schema instanceof z.ZodDefault) return isDeepStrictEqual(schema.def.defaultValue, value);
  return schema instanceof z.ZodOptional && value === null;
}

/** Of a union, the shape of the variant with the type of the settings. */
function shapeOf(post: z.ZodType, { type }: Body): Readonly<Record<string, z.ZodType>> {
  if (post instanceof z.ZodObject) return post.shape;
  if (!(post instanceof z.ZodUnion)) return {};
  const variants = post.options.filter((option): option is z.ZodObject => option instanceof z.ZodObject);
  const fitting = variants.find(variant => (variant.shape.type as z.ZodType).safeParse(type).success);
  return fitting?.shape ?? {};
}
