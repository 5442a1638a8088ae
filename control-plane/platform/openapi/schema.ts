import { z } from 'zod';
import type { JsonObject } from './components.ts';
import { splitIntoVariants } from './variants.ts';

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/** Properties of answers that are times. Those with a pattern are local times or dates. */
const times =
  /_(at|since|until|from|through|start|to)$|^(at|since|until|from|to|as_of|bucket|timestamp|opens|created|told)$/;

/** The JSON schema of what is sent back. */
export function outputSchema(schema: z.ZodType): JsonObject {
  return toJsonSchema(schema, 'output', ({ zodSchema, jsonSchema }) => {
    const properties = jsonSchema.properties ?? {};
    for (const [name, property] of Object.entries(properties)) if (times.test(name)) markTimes(property);
    splitIntoVariants(zodSchema, jsonSchema as JsonObject);
  });
}

/** The JSON schema of parameters, or of a body that its endpoint reads itself. */
export function inputSchema(schema: z.ZodType): JsonObject {
  return toJsonSchema(schema, 'input', () => {});
}

/** The schema of a body that `parseBody` reads: it refuses fields that an object does not have. */
export function bodySchema(body: z.ZodType): JsonObject {
  return toJsonSchema(body, 'input', ({ zodSchema, jsonSchema }) => {
    if (zodSchema instanceof z.ZodObject) jsonSchema.additionalProperties = false;
    splitIntoVariants(zodSchema, jsonSchema as JsonObject);
  });
}

/** A body as files have it, in a draft that editors know. What a format means differs between them. */
export function documentSchema(body: z.ZodType): JsonObject {
  const strict: Override = ({ zodSchema, jsonSchema }) => {
    if (zodSchema instanceof z.ZodObject) jsonSchema.additionalProperties = false;
    delete jsonSchema.format;
    delete jsonSchema['x-read-only'];
  };
  return toJsonSchema(body, 'input', strict, 'draft-7');
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', override: Override, target?: 'draft-7'): JsonObject {
  const options: z.core.ToJSONSchemaParams = {
    io,
    ...(target === undefined ? {} : { target }),
    unrepresentable: 'any',
    override: context => {
      dropSafeBounds(context.jsonSchema);
      override(context);
    },
  };
  const { $schema: _, ...rest } = z.toJSONSchema(schema, options) as JsonObject;
  return rest;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Zod writes the bounds of JavaScript's integers, which say nothing about ours. */
function dropSafeBounds(schema: JsonSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** Texts that are times, or null. */
function markTimes(schema: z.core.JSONSchema._JSONSchema): void {
  if (typeof schema === 'boolean') return;
  const types: unknown[] = [schema.type].flat();
  if (types.includes('string') && schema.pattern === undefined && schema.enum === undefined)
    schema.format ??= 'date-time';
  for (const choice of schema.anyOf ?? []) markTimes(choice);
}
