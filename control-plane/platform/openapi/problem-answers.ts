import type { Endpoint } from '../http/endpoint/endpoint.ts';
import { fieldCodes } from '../http/problem.ts';
import { type ProblemCode, problems } from '../http/problem-codes.ts';
import type { JsonObject } from './components.ts';
import { idOf } from './example-values.ts';
import { problemHeaders } from './response-headers.ts';

/** The schema of every error. */
export const problemSchema: JsonObject = {
  type: 'object',
  title: 'Problem',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string', enum: Object.keys(problems) },
    request_id: { type: 'string' },
    retry_after: { type: 'integer', description: 'Seconds to wait before the next attempt.' },
    incident_id: { type: 'string' },
    matched: { type: 'integer' },
    resource: { type: 'string' },
    maximum: { type: 'integer' },
    used: { type: 'integer' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code', 'detail'],
        properties: {
          index: { type: 'integer' },
          pointer: { type: 'string' },
          parameter: { type: 'string', description: 'Name of the query parameter or header.' },
          code: { type: 'string', enum: [...fieldCodes, 'release_not_ingestible'] },
          detail: { type: 'string' },
        },
      },
    },
  },
};

/** The statuses of errors that an endpoint may answer with, as references to the shared responses. */
export function problemAnswers(endpoint: Endpoint): JsonObject {
  const statuses = errorStatuses(endpoint);
  const shared = statuses.map(status => [status, { $ref: `#/components/responses/Problem${status}` }]);
  return {
    ...Object.fromEntries(shared),
    default: problemAnswer('Another error, such as 500: problem details of RFC 9457.'),
  };
}

/** The shared responses: one for each status, which names its codes. */
export function problemResponses(): JsonObject {
  const byStatus = Map.groupBy(Object.keys(problems) as ProblemCode[], code => problems[code][0]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const lines = codes.map(code => `- \`${code}\`: ${problems[code][1]}`);
      return [`Problem${status}`, problemAnswer(lines.join('\n'), codes[0])];
    }),
  );
}

function errorStatuses({ method, params, body, ifMatch, kind }: Endpoint): number[] {
  const takesBody = body !== null;
  const changes = method !== 'get';
  return [
    400,
    401,
    403,
    ...('shape' in params && Object.keys(params.shape as object).length > 0 ? [404] : []),
    ...(changes && kind !== 'raw' ? [409] : []),
    ...(ifMatch === true ? [412] : []),
    ...(takesBody ? [413, 415] : []),
    ...(takesBody || method === 'post' ? [422] : []),
    429,
    503,
  ];
}

function problemAnswer(description: string, code: ProblemCode = 'internal_error'): JsonObject {
  const schema = { $ref: '#/components/schemas/Problem' };
  const [status, title, detail] = problems[code];
  const example = {
    type: `https://upquorum.example.com/problems/${code}`,
    title,
    status,
    detail,
    instance: '/v0/monitors',
    code,
    request_id: idOf('req'),
  };
  return { description, headers: problemHeaders(status), content: { 'application/problem+json': { schema, example } } };
}
