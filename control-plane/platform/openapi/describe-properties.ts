import { isObject, type JsonObject } from './components.ts';
import { meaningOf } from './glossary/glossary.ts';

const inner = ['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'] as const;

/** The named schemas, with the glossary's description of each property that has none of its own. */
export function describeProperties(schemas: Readonly<Record<string, JsonObject>>): Record<string, unknown> {
  const described = Object.entries(schemas).map(([name, schema]) => [name, describe(schema, [resourceOf(name)])]);
  return Object.fromEntries(described);
}

/** What a request or a response is about has the same words as the resource. */
export function resourceOf(name: string): string {
  const resource = name.replace(/^(Create|Update|Preview)(?=.*Request$)/, '');
  return resource.replace(/(Request|Response|Input|View)$/, '').replace(/^[A-Z][a-z]+(?=Monitor$)/, '');
}

function describe(node: unknown, holders: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map(item => describe(item, holders));
  if (!isObject(node)) return node;
  const below = inner.filter(key => key in node).map(key => [key, describe(node[key], holders)]);
  return { ...node, ...Object.fromEntries(below), ...describedProperties(node, holders) };
}

function describedProperties({ properties }: JsonObject, holders: readonly string[]): JsonObject {
  if (!isObject(properties)) return {};
  const described = Object.entries(properties).map(([name, property]) => {
    const schema = describe(property, [...holders, name]) as JsonObject;
    const meaning = schema.description ?? meaningOf(name, holders);
    return [name, meaning === undefined ? schema : { ...schema, description: meaning }];
  });
  return { properties: Object.fromEntries(described) };
}
