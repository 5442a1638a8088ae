import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Sql } from '../db/sql.ts';
import { noParameters } from './parameters.ts';
import type { FieldError } from './problem.ts';

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

/** The bearer of the request. */
export type Caller = { tokenId: string; projectId: string; scopes: readonly string[] };

/** What a handler gets: everything parsed, and a transaction that shows only the caller's project. */
export type Request<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  caller: Caller;
  sql: Sql;
  requestId: string;
  nowMs: number;
  /** What the client would like to get: the `Accept` header. */
  accept: string;
};

/** `text` is an answer that is not JSON, with its type. */
export type Answer = {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  text?: { type: string; content: string };
};

/** What an endpoint gets that reads its body and commits its work itself. Nobody is authenticated yet. */
export type Received = { request: IncomingMessage; path: string; query: unknown; authorization: string | undefined };

/** One endpoint, declared once: routing, validation, authorisation and OpenAPI all come from it. */
export type Endpoint = {
  method: Method;
  /** With `{name}` for parameters, as OpenAPI writes it. */
  path: string;
  summary: string;
  tag: string;
  scope: string;
  params: z.ZodType;
  query: z.ZodType;
  body: z.ZodType | null;
  answers: Readonly<Record<number, z.ZodType | null>>;
  /** For a body that breaks rules of its fields: which rules between fields it breaks as well, so that all are told at once. */
  alsoCheck?: (
    valid: Readonly<Record<string, unknown>>,
    request: { params: unknown; caller: Caller; sql: Sql; nowMs: number },
  ) => Promise<readonly FieldError[]>;
  handle(request: Request<unknown, unknown, unknown>): Promise<Answer>;
  /** Instead of `handle`, where a transaction for each request would cost too much, or the token may be missing. */
  receive?(received: Received): Promise<Answer>;
  /** Pages of any origin may call it; answers tell their browsers so. */
  cors?: boolean;
  /** Which connections it runs on: long reads have some of their own. */
  pool?: 'api' | 'reports';
};

type Declaration<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = Omit<
  Endpoint,
  'params' | 'query' | 'body' | 'handle'
> & {
  params?: Params;
  query?: Query;
  body?: Body;
  handle(request: Request<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<Answer>;
};

/** Declares an endpoint that takes its requests as they come. */
export function receivingEndpoint(
  declaration: Omit<Endpoint, 'params' | 'handle' | 'receive'> & { receive(received: Received): Promise<Answer> },
): Endpoint {
  const handle = () => Promise.reject(new Error('this endpoint receives'));
  return { ...declaration, params: noParameters, handle };
}

/** Declares an endpoint; the handler's types follow from its schemas. */
export function endpoint<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  declaration: Declaration<Params, Query, Body>,
): Endpoint {
  const { params, query, body, handle, ...rest } = declaration;
  return {
    ...rest,
    params: params ?? noParameters,
    query: query ?? noParameters,
    body: body ?? null,
    handle: handle as Endpoint['handle'],
  };
}

/** What only the operator gives: it shows agents that serve all projects. */
const operatorScope = 'agents:operate';

/** True when the scopes hold the one asked for; a `:write` holds its `:read`, `*` all but the operator's `agents:operate`. */
export function allows(scopes: readonly string[], scope: string): boolean {
  const writes = scope.replace(/:read$/, ':write');
  return (scopes.includes('*') && scope !== operatorScope) || scopes.includes(scope) || scopes.includes(writes);
}
