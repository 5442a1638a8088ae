import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { fieldCodes, problems } from './problem.ts';

type JsonObject = Record<string, unknown>;

/** The OpenAPI 3.1 document of all endpoints, generated from the schemas that validate. */
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
  if (endpoint.ifMatch === true) parameters.push(ifMatchParameter);
  return {
    operationId: `${endpoint.method}${camelCase(endpoint.path)}`,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    ...(endpoint.cors === true ? { security: [{ bearer: [] }, {}] } : {}),
    description: descriptionOf(endpoint),
    parameters,
    ...(endpoint.body === null
      ? {}
      : { requestBody: { required: true, content: bodyContent(endpoint, endpoint.body) } }),
    responses: { ...answers(endpoint), default: problemAnswer },
  };
}

function camelCase(path: string): string {
  return path.replace(/[^a-zA-Z0-9]+(.)?/g, (_, next: string | undefined) => (next ?? '').toUpperCase());
}

function descriptionOf({ scope, cors }: Endpoint): string {
  const needed = `Requires the scope \`${scope}\``;
  return cors === true ? `${needed}, or \`project_id\` instead of a token from an allowed origin.` : `${needed}.`;
}

/** A browser without a token may send the same JSON as text/plain, which needs no preflight request. */
function bodyContent(endpoint: Endpoint, body: z.ZodType): JsonObject {
  const content = jsonContent(endpoint.receive === undefined ? bodySchema(body) : toJsonSchema(body, 'input'));
  return endpoint.cors === true ? { ...content, 'text/plain': { schema: { type: 'string' } } } : content;
}

function answers(endpoint: Endpoint): JsonObject {
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([status, schema]) => [
      status,
      schema === null
        ? { description: 'No content' }
        : { description: 'Success', content: successContent(endpoint, toJsonSchema(schema, 'output')) },
    ]),
  );
}

function successContent({ mediaTypes }: Endpoint, schema: JsonObject): JsonObject {
  return mediaTypes === undefined
    ? jsonContent(schema)
    : Object.fromEntries(mediaTypes.map(type => [type, { schema }]));
}

function parametersIn(location: 'path' | 'query', schema: z.ZodType): JsonObject[] {
  const object = toJsonSchema(schema, 'input') as { properties?: Record<string, unknown>; required?: string[] };
  return Object.entries(object.properties ?? {}).map(([name, property]) => ({
    name,
    in: location,
    required: location === 'path' || (object.required ?? []).includes(name),
    schema: property,
  }));
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', override: Override = () => {}): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override }) as JsonObject;
  return rest;
}

/** The schema of a body that `parseBody` reads: it refuses fields that an object does not have. */
function bodySchema(body: z.ZodType): JsonObject {
  return toJsonSchema(body, 'input', ({ zodSchema, jsonSchema }) => {
    if (zodSchema instanceof z.ZodObject) jsonSchema.additionalProperties = false;
  });
}

function jsonContent(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', format: 'uuid' },
  description: 'A retry with the same key and the same request returns the first response, for 24 hours.',
};

const ifMatchParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The `updated_at` that was read. If the resource has changed since, nothing is written: 412.',
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
    retry_after: { type: 'integer', description: 'Seconds to wait before the next attempt' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer into the body' },
          parameter: { type: 'string', description: 'Name of a query parameter or header' },
          code: { type: 'string', enum: fieldCodes },
          detail: { type: 'string' },
        },
      },
    },
  },
};

const problemAnswer = {
  description: 'Problem details (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};
