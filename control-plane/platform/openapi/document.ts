import { setImmediate } from 'node:timers/promises';
import type { Endpoint } from '../http/endpoint/endpoint.ts';
import { Components, type JsonObject } from './components.ts';
import { describeProperties } from './describe-properties.ts';
import { operation } from './operation.ts';
import { problemResponses, problemSchema } from './problem-answers.ts';
import { responseHeaders } from './response-headers.ts';
import { tagWords } from './words/tags.ts';

const description = `Uptime monitoring by a quorum of regions.

Send \`Authorization: Bearer <token>\` with each request. Times are RFC 3339 in UTC with milliseconds. Lists are newest
first unless their operation says otherwise; pass \`next_cursor\` as \`cursor\` to get the next page. Errors are problem
details (RFC 9457) with a stable \`code\`; \`type\` is the address of a page that explains it.

Unknown fields and parameters are refused. A PATCH changes the fields that it has; objects and arrays are replaced as a
whole, never merged. Ignore fields that you do not know, since new ones may be added.`;

/**
 * The OpenAPI 3.1 document of all endpoints, generated from the schemas that validate. It is most of a second's work:
 * between two operations, others have their turn.
 */
export async function openApiDocument(
  endpoints: readonly Endpoint[],
  options: { baseUrl: string; version: string },
): Promise<JsonObject> {
  const components = new Components();
  components.name(problemSchema, '');
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint, components) };
    await setImmediate();
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Upquorum', version: options.version, description },
    servers: [{ url: options.baseUrl }],
    security: [{ bearer: [] }],
    tags: [...new Set(endpoints.map(endpoint => endpoint.tag))].map(name => ({ name, description: tagWords[name] })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'upquorum',
          description: 'The session of a person in the dashboard. Tokens are refused.',
        },
      },
      schemas: describeProperties(components.schemas()),
      responses: problemResponses(),
      headers: responseHeaders,
    },
  };
}
