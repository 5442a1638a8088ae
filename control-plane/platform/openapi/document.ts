import type { z } from 'zod';
import { type Endpoint, scopesOf } from '../http/endpoint/endpoint.ts';
import { Components, type JsonObject } from './components.ts';
import { bodyExamples } from './examples.ts';
import { operationName } from './operation-name.ts';
import { problemAnswers, problemResponses, problemSchema } from './problem-answers.ts';
import { bodySchema, inputSchema, outputSchema } from './schema.ts';

const description = `Uptime monitoring by a quorum of regions.

Send \`Authorization: Bearer <token>\` with each request. Times are RFC 3339 in UTC. Lists are newest first and give a
\`next_cursor\`. Errors are problem details (RFC 9457) with a \`code\` that stays the same.`;

/** The OpenAPI 3.1 document of all endpoints, generated from the schemas that validate. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  options: { baseUrl: string; version: string },
): JsonObject {
  const components = new Components();
  components.name(problemSchema, '');
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint, components) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Upquorum', version: options.version, description },
    servers: [{ url: options.baseUrl }],
    security: [{ bearer: [] }],
    tags: [...new Set(endpoints.map(endpoint => endpoint.tag))].map(name => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: components.schemas(),
      responses: problemResponses(),
    },
  };
}

function operation(endpoint: Endpoint, components: Components): JsonObject {
  const parameters = [...parametersIn('path', endpoint.params), ...parametersIn('query', endpoint.query)];
  if (endpoint.method === 'post') parameters.push(idempotencyParameter);
  if (endpoint.ifMatch === true) parameters.push(ifMatchParameter);
  const name = operationName(endpoint, isList(endpoint));
  return {
    operationId: name,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    ...(endpoint.cors === true ? { security: [{ bearer: [] }, {}] } : {}),
    description: descriptionOf(endpoint),
    parameters,
    ...(endpoint.body === null
      ? {}
      : { requestBody: { required: true, content: bodyContent(endpoint, endpoint.body, name, components) } }),
    responses: { ...answers(endpoint, components), ...problemAnswers(endpoint) },
  };
}

function descriptionOf({ cors, ...endpoint }: Endpoint): string {
  const scopes = scopesOf(endpoint).map(scope => `\`${scope}\``);
  const needed =
    scopes.length === 1 ? `Requires the scope ${scopes[0]}` : `Requires the scopes ${scopes.join(' and ')}`;
  return cors === true ? `${needed}, or \`project_id\` instead of a token from an allowed origin.` : `${needed}.`;
}

/** A browser without a token may send the same JSON as text/plain, which needs no preflight request. */
function bodyContent(endpoint: Endpoint, body: z.ZodType, operationId: string, components: Components): JsonObject {
  const schema = components.name(endpoint.receive === undefined ? bodySchema(body) : inputSchema(body), 'Input');
  const example = bodyExamples[operationId];
  const content = { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
  return endpoint.cors === true ? { ...content, 'text/plain': { schema: { type: 'string' } } } : content;
}

function answers(endpoint: Endpoint, components: Components): JsonObject {
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([status, schema]) => [
      status,
      schema === null
        ? { description: 'No content' }
        : { description: 'Success', content: successContent(endpoint, components.name(outputSchema(schema), 'View')) },
    ]),
  );
}

function successContent({ mediaTypes = ['application/json'] }: Endpoint, schema: JsonObject): JsonObject {
  return Object.fromEntries(mediaTypes.map(type => [type, { schema }]));
}

function isList({ method, answers }: Endpoint): boolean {
  const answer = answers[200];
  if (method !== 'get' || answer === undefined || answer === null || !('shape' in answer)) return false;
  return 'data' in (answer.shape as object);
}

type ParameterSchema = JsonObject & { 'x-list-of'?: readonly string[] };

function parametersIn(location: 'path' | 'query', schema: z.ZodType): JsonObject[] {
  const object = inputSchema(schema) as { properties?: Record<string, ParameterSchema>; required?: string[] };
  return Object.entries(object.properties ?? {}).map(([name, { 'x-list-of': choices, ...property }]) => ({
    name,
    in: location,
    required: location === 'path' || (object.required ?? []).includes(name),
    ...(choices === undefined ? { schema: property } : commaSeparated(choices)),
  }));
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
  description: 'The `updated_at` that was read. If the resource has changed since, nothing is written: 412.',
};
