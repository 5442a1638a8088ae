import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Api, apiOf, type Reply } from './control-plane.ts';

type Operation = {
  operationId: string;
  responses: Record<string, { content?: Record<string, unknown>; $ref?: string }>;
};
type Document = { paths: Record<string, Record<string, Operation>> };

/** An API client that holds each answer against the OpenAPI document. */
export type DocumentedApi = {
  api: Api;
  /** What does not fit, a line each. */
  faults: string[];
  /** Operations and statuses that were held against the document. */
  seen: Set<string>;
};

/** The client for a token, with the document of the server itself. */
export async function documentedApi(baseUrl: string, token: string): Promise<DocumentedApi> {
  const plain = apiOf(baseUrl, token);
  const document = (await apiOf(baseUrl, '')('GET', '/v0/openapi.json')).body as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const faults: string[] = [];
  const seen = new Set<string>();
  const hold = (method: string, path: string, reply: Reply) => {
    const template = findTemplate(document, path.split('?')[0] ?? '', method);
    const what = `${method} ${path} ${reply.status}`;
    if (template === null) return void faults.push(`${what} is not in the document`);
    const operation = document.paths[template]?.[method] as Operation;
    const answer = operation.responses[reply.status];
    if (answer === undefined) return void faults.push(`${what} is no answer of ${operation.operationId}`);
    seen.add(`${operation.operationId} ${reply.status}`);
    const type = String(reply.headers['content-type'] ?? '').split(';')[0] ?? '';
    const pointer =
      answer.$ref === undefined
        ? ['paths', template, method, 'responses', String(reply.status)]
        : answer.$ref.slice(2).split('/');
    if (answer.$ref === undefined && answer.content === undefined) return;
    const validate = ajv.compile({
      $ref: `api#/${[...pointer, 'content', type, 'schema'].map(pointerPart).join('/')}`,
    });
    if (!validate(reply.body)) faults.push(`${what}: ${ajv.errorsText(validate.errors)}`);
  };
  const api: Api = async (method, path, body, headers) => {
    const reply = await plain(method, path, body, headers);
    hold(String(method).toLowerCase(), path, reply);
    return reply;
  };
  return { api, faults, seen };
}

/** A part of a JSON Pointer in a URI fragment. */
function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The path with the fewest parameters that fits. */
function findTemplate({ paths }: Document, path: string, method: string): string | null {
  const segments = path.split('/');
  const fitting = Object.keys(paths).filter(template => {
    const parts = template.split('/');
    const fits = parts.every((part, index) => part.startsWith('{') || part === segments[index]);
    return parts.length === segments.length && fits && paths[template]?.[method] !== undefined;
  });
  return fitting.sort((left, right) => left.split('{').length - right.split('{').length)[0] ?? null;
}
