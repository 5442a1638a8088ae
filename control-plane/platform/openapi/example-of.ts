import type { JsonObject } from './components.ts';
import { resourceOf } from './describe-properties.ts';
import { exampleIds, exampleValues, idOf } from './example-values.ts';
import { bodyExamples } from './examples.ts';

/** What examples are made with: the named schemas, and whether optional properties are shown. */
export type ExampleContext = { find(name: string): JsonObject | undefined; optional: boolean };

/** A value that the schema allows, from the values that properties usually have. */
export function exampleOf(schema: JsonObject, context: ExampleContext): unknown {
  return valueIn(schema, context, []);
}

function valueIn(schema: JsonObject, context: ExampleContext, path: readonly string[]): unknown {
  const { $ref, type, anyOf, oneOf } = schema;
  if (typeof $ref === 'string') return ofNamed($ref.split('/').at(-1) ?? '', context);
  const usual = usualValue(schema, path);
  if (usual !== undefined) return usual;
  const choices = (anyOf ?? oneOf) as JsonObject[] | undefined;
  if (choices !== undefined) return valueIn(choices.find(({ type: kind }) => kind !== 'null') ?? {}, context, path);
  switch (Array.isArray(type) ? type.find(kind => kind !== 'null') : type) {
    case 'object':
      return objectOf(schema, context, path);
    case 'array': {
      const item = valueIn(schema.items as JsonObject, context, path);
      return Array.from({ length: Math.max(1, Number(schema.minItems ?? 1)) }, () => item);
    }
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'string':
      return schema.format === 'date-time' ? exampleValues.time : exampleValues.text;
    default:
      return null;
  }
}

/** A named schema, with the values of the body that creates such a resource. */
function ofNamed(name: string, context: ExampleContext): unknown {
  const schema = context.find(name) ?? {};
  const value = valueIn(schema, context, [resourceOf(name)]);
  const created = bodyExamples[`create${name}`];
  if (typeof created !== 'object' || typeof value !== 'object' || value === null) return value;
  const known = Object.entries(created ?? {}).filter(([key]) => key in value && !hidden.has(key));
  return { ...value, ...Object.fromEntries(known) };
}

/** What a body sends in another form than the resource shows. */
const hidden = new Set([
  'alert_policy',
  'assertions',
  'initial_update',
  'items',
  'match',
  'quiet_hours',
  'schedule',
  'scope',
  'steps',
]);

function objectOf({ properties, required }: JsonObject, context: ExampleContext, path: readonly string[]): unknown {
  const needed = (required ?? []) as string[];
  const shown = Object.entries((properties ?? {}) as Record<string, JsonObject>).filter(
    ([name]) => context.optional || needed.includes(name),
  );
  return Object.fromEntries(shown.map(([name, property]) => [name, valueIn(property, context, [...path, name])]));
}

function usualValue(schema: JsonObject, path: readonly string[]): unknown {
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  const name = path.at(-1) ?? '';
  const owner = path.at(-2) ?? '';
  const known = exampleValues[`${owner}.${name}`];
  if (known !== undefined) return known;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (!allowsText(schema)) return undefined;
  if (name === 'id' && exampleIds[owner] !== undefined) return idOf(exampleIds[owner]);
  return exampleValues[name];
}

/** A text, or null; also as the item of a list of texts. */
function allowsText({ type, anyOf, format, enum: choices }: JsonObject): boolean {
  if (format === 'date-time' || choices !== undefined) return false;
  if (Array.isArray(anyOf)) return anyOf.some(choice => allowsText(choice as JsonObject));
  return type === 'string' || (Array.isArray(type) && type.includes('string'));
}

function numberOf({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  const least = typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 0;
  return typeof maximum === 'number' ? Math.min(Math.max(least, 1), maximum) : Math.max(least, 1);
}
