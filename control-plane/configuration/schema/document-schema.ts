import type { ConfigType } from '#shared/config-types.ts';
import type { Endpoint } from '../../platform/http/endpoint/endpoint.ts';
import type { JsonObject } from '../../platform/openapi/components.ts';
import { keyPattern, managerPattern } from '../document/merge.ts';
import { configKinds, orderedKinds } from '../kinds/kinds.ts';
import { defaultsSchema, itemSchema } from './item-schema.ts';

/**
 * Pure: the JSON Schema of documents, in the draft that YAML language servers know. It refuses nothing that a plan
 * accepts; a plan refuses more: references that lead nowhere, what depends on several members or on other files.
 */
export function configSchema(endpoints: readonly Endpoint[], id: string): JsonObject {
  const items = new Map<ConfigType, JsonObject>();
  for (const kind of orderedKinds) {
    const post = endpoints.find(({ method, path }) => method === 'post' && path === kind.path);
    if (post?.body != null) items.set(kind.type, itemSchema(kind, post.body));
  }
  const listed = [...items.keys()].filter(type => type !== 'components');
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: id,
    title: 'Upquorum configuration',
    type: 'object',
    additionalProperties: false,
    required: ['upquorum'],
    properties: {
      upquorum: { const: 1, description: 'The version of documents, in each file.' },
      manager: { type: 'string', pattern: managerPattern.source, description: 'Marks what these documents own.' },
      project: { type: 'string', description: 'ID of the project that the documents are for, to be safe.' },
      include: nullable({ type: 'array', items: { type: 'string' } }, 'Files and folders, relative to this file.'),
      defaults: defaultsOf(items),
      ...Object.fromEntries(listed.map(type => [type, listOf(type)])),
    },
    definitions: {
      key: {
        type: 'string',
        pattern: keyPattern.source,
        description: 'Identifies the resource, so that a new name renames it.',
      },
      env: {
        type: 'object',
        additionalProperties: false,
        required: ['$env'],
        properties: { $env: { type: 'string', pattern: '^[A-Z][A-Z0-9_]{0,99}$' } },
        description: 'A value of the environment of the plan.',
      },
      ...Object.fromEntries([...items].map(([type, item]) => [type, type === 'status_pages' ? asPage(item) : item])),
    },
  };
}

function defaultsOf(items: ReadonlyMap<ConfigType, JsonObject>): JsonObject {
  const properties = Object.fromEntries([...items].map(([type, item]) => [type, defaultsSchema(item)]));
  const description = 'Members that items without their own take, by type.';
  return nullable({ type: 'object', additionalProperties: false, properties }, description);
}

function asPage(item: JsonObject): JsonObject {
  return { ...item, properties: { ...(item.properties as JsonObject), components: listOf('components') } };
}

function listOf(type: ConfigType): JsonObject {
  const description = `${configKinds[type].resource.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')}s.`;
  return nullable({ type: 'array', items: { $ref: `#/definitions/${type}` } }, description);
}

function nullable(schema: JsonObject, description: string): JsonObject {
  return { description, anyOf: [schema, { type: 'null' }] };
}
