import createClient, { type Client } from 'openapi-fetch';
import type { components, operations, paths } from './openapi.d.ts';

/** Resources of the API by their names in its OpenAPI document. */
export type Schemas = components['schemas'];
/** JSON bodies of requests by the names of their operations. */
export type Bodies = {
  [Name in keyof operations]: operations[Name] extends { requestBody: { content: { 'application/json': infer Body } } }
    ? Body
    : never;
};
/** Queries of requests by the names of their operations. */
export type Queries = {
  [Name in keyof operations]: operations[Name] extends { parameters: { query?: infer Query } } ? Query : never;
};
/** Bodies of successful answers by the names of their operations. */
export type Answers = {
  [Name in keyof operations]: operations[Name] extends {
    responses: { 200: { content: { 'application/json': infer Answer } } };
  }
    ? Answer
    : never;
};
/** Alternatives as one object: what some of them lack may be missing. */
export type Merged<Union> = Pick<Union, keyof Union> & {
  [Name in Exclude<MemberOf<Union>, keyof Union>]?: ValueIn<Union, Name>;
};
type MemberOf<Union> = Union extends unknown ? keyof Union : never;
type ValueIn<Union, Name extends PropertyKey> = Union extends { [Key in Name]?: infer Value } ? Value : never;
/** Calls by method and path: `client.GET('/v0/monitors/{id}', { params: { path: { id } } })`. Answers are JSON. */
export type ApiClient = Client<paths, 'application/json'>;

type ClientOptions = {
  baseUrl: string;
  /** Sent with each request; left out where a cookie or `fetch` itself signs in. */
  token?: string;
  fetch?: (request: Request) => Promise<Response>;
};

/** A client whose paths, parameters, bodies and answers are checked against the OpenAPI document when compiled. */
export function createApiClient({ baseUrl, token, fetch }: ClientOptions): ApiClient {
  return createClient<paths, 'application/json'>({
    baseUrl,
    // Lists in queries are separated by commas.
    querySerializer: { array: { style: 'form', explode: false } },
    ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }),
    ...(fetch === undefined ? {} : { fetch }),
  });
}
