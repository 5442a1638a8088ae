import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { AuditAction } from '../../audit/actions.ts';
import type { Change, Via } from '../../audit/entry.ts';
import type { Sql } from '../../db/sql.ts';
import type { JsonLimits } from '../bodies/json-size.ts';
import type { ValidFields } from '../bodies/parse-body.ts';
import type { FieldError } from '../problem.ts';
import type { Caller, Sender } from './caller.ts';
import { noParameters } from './parameters.ts';

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

/**
 * Where transactions run: `reports` has connections for long reads, `people` reads who somebody is, which belongs to no
 * project: row security does not limit it.
 */
export type Pool = 'api' | 'reports' | 'people';

/** Identity of a request that carries an Idempotency-Key. `former`: fingerprints that it may have been stored with. */
export type IdempotentRequest = { key: string; fingerprint: Uint8Array; former: readonly Uint8Array[] };

/** What a check gets beside the body's fields. */
export type CheckRequest<Params> = {
  params: Params;
  caller: Caller;
  sql: Sql;
  nowMs: number;
  /** The `updated_at` that the caller expects of the resource, of endpoints with `ifMatch`; null: any. */
  expectedUpdate: number | null;
};

/** `sent`: the body as it came, of whose fields the valid ones are checked. */
export type BodyCheck<Params> = CheckRequest<Params> & { sent: unknown };

/** What a handler gets: everything parsed, and a transaction that shows only the caller's project. */
export type Request<Params, Query, Body> = CheckRequest<Params> & {
  query: Query;
  body: Body;
  requestId: string;
  /** The `Accept` header, for endpoints with several media types. */
  accept: string;
  /** Records a change in the audit, which ends as the transaction does. False if no field differs. */
  record(change: Change): Promise<boolean>;
};

/** `api`: whatever the pool of the endpoint. `undo`: the step only looks at what its changes would bring about. */
export type StepOptions = { pool?: 'api'; undo?: boolean };

/** What a handler gets that commits step by step: everything parsed, but no transaction. */
export type StepRequest<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  caller: Caller;
  requestId: string;
  /** The `Accept` header, for endpoints with several media types. */
  accept: string;
  idempotent: IdempotentRequest | null;
  now(): number;
  /** Runs one step in a transaction that shows only the caller's project. One at a time. */
  transact<Result>(work: (sql: Sql) => Promise<Result>, options?: StepOptions): Promise<Result>;
  /** Charges the caller with what the call costs beside its first request. Throws `rate_limited`. */
  charge(cost: number): Promise<void>;
  /** The response that another call has stored for the Idempotency-Key meanwhile; null if there is none. */
  findStored(sql: Sql): Promise<Answer | null>;
  /** Stores the response for the Idempotency-Key, in the transaction of the last step. */
  save(sql: Sql, answer: Answer): Promise<void>;
  /** Records a change in the audit, in its transaction. False if no field differs. */
  record(sql: Sql, change: Change, nowMs: number, planId?: string): Promise<boolean>;
  /** The problem that the error is for the caller of a path; null if it is none, but ours. */
  describe(error: unknown, path: string): Record<string, unknown> | null;
};

/** Of documents and imports, which may be large. */
export const largeBody = { bytes: 6 * 1_048_576, values: 100_000, names: 100_000 };

/** Runs one step in a transaction of its own, which shows only the caller's project. */
export type Transact = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;

/**
 * A response. `text` is one that is not JSON, with its media type; `stream` one of unknown length, read as fast as the
 * client takes it.
 */
export type Answer = {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  text?: { type: string; content: string };
  stream?: { type: string; lines(transact: Transact): AsyncIterable<string> };
  /** Set for requests that changed nothing: the key is remembered, the answer is not stored. */
  keyOnly?: boolean;
};

/** What a handler gets that reads the body and commits its work itself. Nobody is authenticated yet. */
export type Received = {
  request: IncomingMessage;
  path: string;
  query: unknown;
  authorization: string | undefined;
  /** Says whose request it is, for the log. */
  identified(sender: Sender): void;
};

/** What routing and OpenAPI read of every endpoint. */
type Declared = {
  method: Method;
  /** With `{name}` for parameters, as OpenAPI writes it. */
  path: string;
  summary: string;
  /** Its name in the OpenAPI document, where method and path give no good one. */
  operation?: string;
  tag: string;
  /** Null: any caller may, whatever its scopes, or the handler says which it needs. */
  scope: string | null;
  /** Only people may, in a session of their own: tokens, and sessions that one opened, get `person_required`. */
  peopleOnly?: true;
  /** Only people who run the installation may. */
  operatorOnly?: true;
  /** Throws for callers who may not, where no scope says it alike for tokens and people. */
  requireCaller?(caller: Caller): void;
  /** A person must have shown within the last minutes that it is them. */
  confirmed?: true;
  /** It concerns no project: who is no token needs none for it. */
  anywhere?: true;
  /** A second scope that the caller needs as well: of another resource that the answer is made from. */
  secondScope?: string;
  params: z.ZodType;
  query: z.ZodType;
  body: z.ZodType | null;
  answers: Readonly<Record<number, z.ZodType | null>>;
  /** Pages of any origin may call it; its responses carry CORS headers. */
  cors?: boolean;
  /** What its changes are called in the audit. None: it stores nothing that a client sets. */
  audit?: readonly AuditAction[];
  /** What the audit says of the way its changes came, if not by the API or the dashboard. */
  via?: Via;
  /** Media types of the response, if it is text and not JSON. */
  mediaTypes?: readonly string[];
  /** Control characters in the body's texts are replaced, not refused: these are texts for people, or events. */
  cleansText?: boolean;
  /** What a body may have, where documents or imports need more than all others. */
  bodyLimits?: JsonLimits & { bytes: number };
  /** The header `If-Match` may hold the `updated_at` without which nothing is changed. */
  ifMatch?: boolean;
};

/** What the server does for the handler before it is called. */
type Checked = Declared & {
  /**
   * Errors between fields, or against the database. Runs after the schema, also for an invalid body, so that all errors
   * are reported at once; `handle` gets only bodies without any, in the same transaction if it has one. It may lock.
   */
  check?(fields: ValidFields<unknown>, request: BodyCheck<unknown>): Promise<readonly FieldError[]>;
  /**
   * Whether a request changes nothing, so that it is computed again when its Idempotency-Key is repeated. Without this
   * function all requests change something.
   */
  changesNothing?(sent: { query: unknown; body: unknown }): boolean;
  /** `api` if not given. */
  pool?: Pool;
};

/** A request of the endpoint that only says what it would do. It works in steps, of which the change is undone. */
type DryRun<Params, Query, Body> = {
  isAsked(query: Query): boolean;
  pool: Pool;
  handle(request: StepRequest<Params, Query, Body>): Promise<Answer>;
};

/** Answers in one transaction. */
type TransactionEndpoint = Checked & {
  kind: 'transaction';
  handle(request: Request<unknown, unknown, unknown>): Promise<Answer>;
  dryRun?: DryRun<unknown, unknown, unknown>;
};

/** Commits step by step, where one transaction would take too long. */
export type StepEndpoint = Checked & {
  kind: 'steps';
  handle(request: StepRequest<unknown, unknown, unknown>): Promise<Answer>;
};

/** Takes its requests unread and unauthenticated: a transaction would cost too much, or the token may be missing. */
export type RawEndpoint = Declared & { kind: 'raw'; handle(received: Received): Promise<Answer> };

export type CheckedEndpoint = TransactionEndpoint | StepEndpoint;
/** One endpoint, declared once: routing, validation, authorisation and OpenAPI all come from it. */
export type Endpoint = CheckedEndpoint | RawEndpoint;

/** With the types that follow from its schemas. */
type Declaration<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = Omit<
  Checked,
  'params' | 'query' | 'body' | 'check' | 'changesNothing'
> & {
  params?: Params;
  query?: Query;
  body?: Body;
  check?(fields: ValidFields<z.output<Body>>, request: BodyCheck<z.output<Params>>): Promise<readonly FieldError[]>;
  changesNothing?(sent: { query: z.output<Query>; body: z.output<Body> }): boolean;
};

/** Declares an endpoint that answers in one transaction; the types of `check` and `handle` follow from its schemas. */
export function endpoint<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  declaration: Declaration<Params, Query, Body> & {
    handle(request: Request<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<Answer>;
    dryRun?: DryRun<z.output<Params>, z.output<Query>, z.output<Body>>;
  },
): Endpoint {
  return { kind: 'transaction', ...withSchemas(declaration) } as Endpoint;
}

export function stepEndpoint<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  declaration: Declaration<Params, Query, Body> & {
    handle(request: StepRequest<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<Answer>;
  },
): Endpoint {
  return { kind: 'steps', ...withSchemas(declaration) } as Endpoint;
}

/** Declares an endpoint that takes its requests unread and unauthenticated. */
export function rawEndpoint(declaration: Omit<RawEndpoint, 'kind' | 'params'>): RawEndpoint {
  return { kind: 'raw', params: noParameters, ...declaration };
}

function withSchemas<Given extends Partial<Pick<Declared, 'params' | 'query' | 'body'>>>(declaration: Given) {
  return {
    ...declaration,
    params: declaration.params ?? noParameters,
    query: declaration.query ?? noParameters,
    body: declaration.body ?? null,
  };
}

/** The same endpoint for texts that are published: it cleans them. */
export function publishing(declared: Endpoint): Endpoint {
  return { ...declared, cleansText: true };
}

/** The scopes that a caller needs, all of them; none if any caller may. */
export function scopesOf({ scope, secondScope }: Pick<Endpoint, 'scope' | 'secondScope'>): string[] {
  return [scope, secondScope].filter(name => name !== null && name !== undefined);
}
