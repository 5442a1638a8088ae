import { z } from 'zod';
import type { JsonObject } from './components.ts';

/**
 * One of the alternatives of an object.
 *
 * @property value what the property says that tells them apart
 * @property leftOut members of the whole that it does not have
 * @property required members that it needs beside those that all need
 * @property narrowed what is said of a member beside what the whole says
 */
export type Variant = {
  value: string;
  title: string;
  description: string;
  leftOut: readonly string[];
  required: readonly string[];
  narrowed: Readonly<Record<string, JsonObject>>;
};

/** Objects that one schema reads, and that the document shows as a choice by one of their properties. */
export const variants = z.registry<{ property: string; of: readonly Variant[] }>();

/** Makes the JSON schema of such an object a `oneOf`, in place; the others stay as they are. */
export function splitIntoVariants(schema: z.core.$ZodType, jsonSchema: JsonObject): void {
  const choice = variants.get(schema);
  if (choice === undefined) return;
  const { title, description, properties, required, ...whole } = jsonSchema;
  for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
  const mapping = choice.of.map(variant => [variant.value, `#/components/schemas/${variant.title}`]);
  Object.assign(jsonSchema, {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    oneOf: choice.of.map(variant => ({
      title: variant.title,
      description: variant.description,
      ...whole,
      properties: propertiesOf(properties as Record<string, JsonObject>, choice.property, variant),
      required: [...new Set([...((required ?? []) as string[]), ...variant.required])].filter(
        name => !variant.leftOut.includes(name),
      ),
    })),
    discriminator: { propertyName: choice.property, mapping: Object.fromEntries(mapping) },
  });
}

function propertiesOf(
  all: Readonly<Record<string, JsonObject>>,
  property: string,
  { value, leftOut, narrowed }: Variant,
): JsonObject {
  const own = Object.entries(all).filter(([name]) => !leftOut.includes(name));
  const shown = own.map(([name, schema]) => {
    // Not copied: below a described object, what its members say comes later.
    if (name !== property) return [name, narrowed[name] === undefined ? schema : { ...schema, ...narrowed[name] }];
    const { description } = schema;
    return [name, { type: 'string', const: value, ...(description === undefined ? {} : { description }) }];
  });
  return Object.fromEntries(shown);
}
