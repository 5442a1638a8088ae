import type { z } from 'zod';
import { type Endpoint, scopesOf } from '../http/endpoint/endpoint.ts';
import type { Components, JsonObject } from './components.ts';
import { exampleOf } from './example-of.ts';
import { bodyExamples, textExamples } from './examples.ts';
import { choiceExamples } from './kind-examples.ts';
import { operationName } from './operation-name.ts';
import { parametersOf } from './parameters.ts';
import { problemAnswers } from './problem-answers.ts';
import { successHeaders } from './response-headers.ts';
import { bodySchema, inputSchema, outputSchema } from './schema.ts';
import { operationWords } from './words/operations/operations.ts';

/** An operation of the document; its schemas join the components. */
export function operation(endpoint: Endpoint, components: Components): JsonObject {
  const name = operationName(endpoint, isList(endpoint));
  return {
    operationId: name,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    ...(endpoint.cors === true ? { security: [{ bearer: [] }, {}] } : {}),
    ...(endpoint.peopleOnly === true ? { security: [{ session: [] }] } : {}),
    // OpenAPI has scopes for OAuth alone; programs that choose the scopes of a token read these.
    'x-scopes': scopesOf(endpoint),
    description: descriptionOf(endpoint, name),
    parameters: parametersOf(endpoint, name),
    ...(endpoint.body === null
      ? {}
      : { requestBody: { required: true, content: bodyContent(endpoint, endpoint.body, name, components) } }),
    responses: { ...answers(endpoint, name, components), ...problemAnswers(endpoint) },
  };
}

function descriptionOf(endpoint: Endpoint, name: string): string {
  return [operationWords[name], ...whoMay(endpoint)].filter(text => text !== undefined).join('\n\n');
}

/** Who may call the operation, a sentence for each condition. */
function whoMay({ cors, peopleOnly, operatorOnly, confirmed, ...endpoint }: Endpoint): string[] {
  const scopes = scopesOf(endpoint).map(scope => `\`${scope}\``);
  const needed =
    scopes.length === 1 ? `Requires the scope ${scopes[0]}` : `Requires the scopes ${scopes.join(' and ')}`;
  const access = cors === true ? `${needed}, or \`project_id\` instead of a token from an allowed origin` : needed;
  const people = operatorOnly === true ? 'For people who run the installation' : 'For people';
  return [
    // Which token may call it is in its words.
    ...(scopes.length === 0 ? [] : [`${access}.`]),
    ...(peopleOnly === true ? [`${people}: tokens get \`person_required\`.`] : []),
    ...(confirmed === true ? ['A person must have signed in or confirmed it within the last ten minutes.'] : []),
  ];
}

/** A browser without a token may send the same JSON as text/plain, which needs no preflight request. */
function bodyContent(endpoint: Endpoint, body: z.ZodType, operationId: string, components: Components): JsonObject {
  const json = endpoint.kind === 'raw' ? inputSchema(body) : bodySchema(body);
  const schema = components.nameWhole(json, 'Input', `${capitalised(operationId)}Request`);
  const example = bodyExamples[operationId];
  const content = { 'application/json': { schema, ...shownExamples(operationId) } };
  return endpoint.cors === true
    ? { ...content, 'text/plain': { schema: { type: 'string' }, example: JSON.stringify(example) } }
    : content;
}

function shownExamples(operationId: string): JsonObject {
  const choices = Object.entries(choiceExamples[operationId] ?? {}).map(([name, value]) => [name, { value }]);
  if (choices.length > 0) return { examples: Object.fromEntries(choices) };
  const example = bodyExamples[operationId];
  return example === undefined ? {} : { example };
}

function answers(endpoint: Endpoint, name: string, components: Components): JsonObject {
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([code, schema]) => {
      const status = Number(code);
      const headers = successHeaders(endpoint, status, name !== 'createStatusPageSubscriber');
      const description = successWords[status] ?? 'The request succeeded.';
      if (schema === null) return [code, { description, headers }];
      return [code, { description, headers, content: successContent(endpoint, status, schema, name, components) }];
    }),
  );
}

const successWords: Readonly<Record<number, string>> = {
  200: 'The request succeeded.',
  201: 'The resource was created.',
  202: 'The request was accepted.',
  204: 'The request succeeded. There is no content.',
};

function successContent(
  { mediaTypes = ['application/json'] }: Endpoint,
  status: number,
  answer: z.ZodType,
  name: string,
  components: Components,
): JsonObject {
  const schema = outputSchema(answer);
  const named = () => components.nameWhole(schema, 'View', answerTitle(schema, name));
  const find = (title: string) => components.find(title);
  const ofSchema = (ref: JsonObject) => ({ schema: ref, example: exampleOf(ref, { find, optional: status === 201 }) });
  const ofText = (type: string) => ({
    schema: { type: 'string' },
    example: textExamples[`${name} ${type}`] ?? textExamples[name],
  });
  return Object.fromEntries(mediaTypes.map(type => [type, described.has(type) ? ofSchema(named()) : ofText(type)]));
}

/** Media types whose schema is that of the answer; for a stream that of the data of each event. */
const described = new Set(['application/json', 'text/event-stream']);

/** A list is named by its items: `MonitorList`. */
function answerTitle(schema: JsonObject, name: string): string {
  const { data, pagination } = (schema.properties ?? {}) as Record<string, { items?: { title?: unknown } }>;
  const title = data?.items?.title;
  return typeof title === 'string' && pagination !== undefined ? `${title}List` : `${capitalised(name)}Response`;
}

function capitalised(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

function isList({ method, answers }: Endpoint): boolean {
  const answer = answers[200];
  if (method !== 'get' || answer === undefined || answer === null || !('shape' in answer)) return false;
  return 'data' in (answer.shape as object);
}
