import { isObject, type JsonObject } from './components.ts';

/**
 * The document in the words of OpenAPI 3.0, for the viewer alone: one of 3.1 it resolves as a whole before it shows
 * anything, which takes a browser six times as long. Names, descriptions and examples stay.
 */
export function viewerDocument(document: JsonObject): JsonObject {
  const { components, ...others } = document;
  const { schemas, ...parts } = components as { schemas: JsonObject };
  return {
    ...withSchemas(others),
    openapi: '3.0.3',
    components: { ...withSchemas(parts), schemas: mapValues(schemas, inOldWords) },
  };
}

/** Parameters, bodies, answers and headers, each `schema` of theirs in the old words. */
function withSchemas(part: JsonObject): JsonObject {
  const convert = (value: unknown, key?: string): unknown => {
    if (key === 'schema') return inOldWords(value);
    if (key === 'example' || key === 'examples') return value;
    if (Array.isArray(value)) return value.map(item => convert(item));
    return isObject(value) ? mapValues(value, convert) : value;
  };
  return mapValues(part, convert);
}

/** A schema of JSON Schema 2020-12 as OpenAPI 3.0 has them: `nullable` for null, `enum` for `const`. */
function inOldWords(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { $ref, ...others } = schema;
  if ($ref !== undefined && Object.keys(others).length === 0) return schema;
  const { type, anyOf, const: only, examples, exclusiveMinimum, propertyNames: _, ...rest } = others;
  const choices = $ref === undefined ? choicesOf(type, anyOf) : [{ $ref }];
  const left = choices.filter(({ type }) => type !== 'null').map(inOldWords) as JsonObject[];
  return {
    ...combine(left),
    ...(typeof type === 'string' && { type }),
    ...mapValues(rest, (value, key) => {
      if (key === 'properties') return mapValues(value as JsonObject, inOldWords);
      if (key === 'oneOf' || key === 'allOf') return (value as unknown[]).map(inOldWords);
      return key === 'items' || key === 'additionalProperties' ? inOldWords(value) : value;
    }),
    ...(left.length < choices.length && { nullable: true }),
    ...(only !== undefined && { enum: [only] }),
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(Array.isArray(examples) && { example: examples[0] }),
  };
}

function choicesOf(type: unknown, anyOf: unknown): JsonObject[] {
  if (Array.isArray(anyOf)) return anyOf;
  return Array.isArray(type) ? type.map(one => ({ type: one })) : [];
}

/** Nothing may stand beside a reference, so that it stands below `allOf`. */
function combine(choices: readonly JsonObject[]): JsonObject {
  const [only = {}, ...more] = choices;
  if (more.length > 0) return { anyOf: choices };
  return only.$ref === undefined ? only : { allOf: [only] };
}

function mapValues(object: JsonObject, map: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}
