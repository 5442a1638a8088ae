import type { z } from 'zod';
import type { Endpoint } from '../http/endpoint/endpoint.ts';
import type { JsonObject } from './components.ts';
import { inputSchema } from './schema.ts';
import { parameterWords } from './words/parameters.ts';

type ParameterSchema = JsonObject & { 'x-list-of'?: readonly string[] };

/** The parameters of an endpoint, with those of headers. `name` is the operation's. */
export function parametersOf(endpoint: Endpoint, name: string): JsonObject[] {
  return [
    ...parametersIn('path', endpoint.params, endpoint, name),
    ...parametersIn('query', endpoint.query, endpoint, name),
    ...(endpoint.method === 'post' ? [idempotencyParameter] : []),
    ...(endpoint.ifMatch === true ? [ifMatchParameter] : []),
  ];
}

function parametersIn(location: 'path' | 'query', schema: z.ZodType, { path }: Endpoint, operation: string) {
  const object = inputSchema(schema) as { properties?: Record<string, ParameterSchema>; required?: string[] };
  return Object.entries(object.properties ?? {}).map(([name, property]) => {
    const { 'x-list-of': choices, description, ...rest } = property;
    return {
      name,
      in: location,
      required: location === 'path' || (object.required ?? []).includes(name),
      description: description ?? meaningOf(name, location, path, operation),
      ...(choices === undefined ? { schema: rest } : commaSeparated(choices)),
    };
  });
}

/** An id in a path is that of the resource before it. */
function meaningOf(name: string, location: 'path' | 'query', path: string, operation: string): string | undefined {
  const resource = location === 'path' ? path.split(`/{${name}}`)[0]?.split('/').at(-1) : undefined;
  return parameterWords[`${operation}.${name}`] ?? parameterWords[`${resource}.${name}`] ?? parameterWords[name];
}

function commaSeparated(choices: readonly string[]): JsonObject {
  return { style: 'form', explode: false, schema: { type: 'array', items: { type: 'string', enum: choices } } };
}

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', format: 'uuid' },
  description:
    'A retry with the same key and the same request returns the first response, for 24 hours. A request that changes ' +
    'nothing, such as a preview or a dry run, is computed again.',
};

const ifMatchParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description:
    'The `updated_at` that you have read, bare or quoted. If the resource has changed since, nothing is changed: 412.',
};
