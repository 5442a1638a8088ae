import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { fieldCodes, problems } from './problem.ts';

type JsonObject = Record<string, unknown>;

/** The OpenAPI 3.1 document of all endpoints, from the schemas that validate. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  options: { baseUrl: string; version: string },
): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Upquorum', version: options.version, description: 'Uptime monitoring by a quorum of regions.' },
    servers: [{ url: options.baseUrl }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: problemSchema },
    },
  };
}

function operation(endpoint: Endpoint): JsonObject {
  const parameters = [...parametersIn('path', endpoint.params), ...parametersIn('query', endpoint.query)];
  if (endpoint.method === 'post') parameters.push(idempotencyParameter);
  return {
    operationId: `${endpoint.method}${endpoint.path.replace(/[^a-zA-Z0-9]+(.)?/g, (_, next: string | undefined) => (next ?? '').toUpperCase())}`,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    ...(endpoint.cors === true ? { security: [{ bearer: [] }, {}] } : {}),
    description: `Needs the scope \`${endpoint.scope}\`${endpoint.cors === true ? ', or no token at all from a page that names its project' : ''}.`,
    parameters,
    ...(endpoint.body === null
      ? {}
      : { requestBody: { required: true, content: bodyContent(endpoint, endpoint.body) } }),
    responses: { ...answers(endpoint), default: problemAnswer },
  };
}

/** A page without a token may send the same JSON as text/plain. */
function bodyContent(endpoint: Endpoint, body: z.ZodType): JsonObject {
  const content = jsonContent(toJsonSchema(body, 'input'));
  return endpoint.cors === true ? { ...content, 'text/plain': { schema: { type: 'string' } } } : content;
}

function answers(endpoint: Endpoint): JsonObject {
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([status, schema]) => [
      status,
      schema === null
        ? { description: 'No content' }
        : { description: 'Success', content: jsonContent(toJsonSchema(schema, 'output')) },
    ]),
  );
}

function parametersIn(place: 'path' | 'query', schema: z.ZodType): JsonObject[] {
  const object = toJsonSchema(schema, 'input') as { properties?: Record<string, unknown>; required?: string[] };
  return Object.entries(object.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (object.required ?? []).includes(name),
    schema: property,
  }));
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonObject;
  return rest;
}

function jsonContent(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', format: 'uuid' },
  description: 'The same key with the same request gives the first answer again for 24 hours.',
};

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string', enum: Object.keys(problems) },
    request_id: { type: 'string' },
    retry_after: { type: 'integer', description: 'seconds' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer into the body' },
          parameter: { type: 'string', description: 'name of a query parameter or header' },
          code: { type: 'string', enum: fieldCodes },
          detail: { type: 'string' },
        },
      },
    },
  },
};

const problemAnswer = {
  description: 'A problem, RFC 9457',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};
