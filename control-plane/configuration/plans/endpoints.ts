import type { z } from 'zod';
import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { controlCharacterErrors } from '../../platform/http/bodies/control-characters.ts';
import { parseBody } from '../../platform/http/bodies/parse-body.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import type { CheckedEndpoint, CheckRequest, Endpoint, Method } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Body } from '../kinds/kind.ts';

/** Calls endpoints of the API in a transaction of their caller's: documents are validated and written by them alone. */
export type Api = {
  /** The valid body. Throws `validation_failed`. With `checked`, against the database as well. */
  parse(path: string, body: Body, checked: boolean): Promise<Body>;
  /** The resource as the caller may see it. */
  get(path: string, id: string): Promise<unknown>;
  create(path: string, body: Body): Promise<void>;
  /** Changes the members that a PATCH has. Throws `changed_since`. */
  change(path: string, id: string, body: Body, expectedUpdate: number): Promise<void>;
  /** As `change`. */
  remove(path: string, id: string, expectedUpdate: number): Promise<void>;
  act(path: string, body: Body): Promise<void>;
};

export type Transacted = {
  sql: Sql;
  caller: Caller;
  nowMs: number;
  requestId: string;
  record(change: Change): Promise<boolean>;
};

export function apiOf(endpoints: readonly Endpoint[], given: Transacted): Api {
  const { sql, caller, nowMs } = given;
  const find = (method: Method, path: string): Transaction => {
    const found = endpoints.find(candidate => candidate.method === method && candidate.path === path);
    if (found?.kind !== 'transaction') throw new Error(`there is no ${method} ${path} that documents could use`);
    return found;
  };
  const checkOf = (params: object, expectedUpdate: number | null): CheckRequest<unknown> => {
    return { params, caller, sql, nowMs, expectedUpdate };
  };
  const handle = async (declared: Transaction, params: object, body: unknown, expected: number | null = null) => {
    const query = declared.query.parse({});
    const { requestId, record } = given;
    return declared.handle({ ...checkOf(params, expected), query, body, requestId, accept: '', record });
  };
  return {
    parse: async (path, body, checked) => {
      const declared = find('post', path);
      const unclean = declared.cleansText === true ? [] : controlCharacterErrors(body);
      return (await parseBody(schemaOf(declared), body, async fields => [
        ...unclean,
        ...(checked ? ((await declared.check?.(fields as object, { ...checkOf({}, null), sent: body })) ?? []) : []),
      ])) as Body;
    },
    get: async (path, id) => (await handle(find('get', `${path}/{id}`), { id }, undefined)).body,
    create: async (path, body) => void (await handle(find('post', path), {}, body)),
    change: async (path, id, body, expectedUpdate) => {
      const declared = find('patch', `${path}/{id}`);
      const { shape } = schemaOf(declared) as z.ZodObject;
      const patch = Object.fromEntries(
        Object.entries(body).filter(([name, value]) => Object.hasOwn(shape, name) && value !== undefined),
      );
      const errors = (await declared.check?.(patch, { ...checkOf({ id }, expectedUpdate), sent: patch })) ?? [];
      if (errors.length > 0) throw new Problem('validation_failed', { errors });
      await handle(declared, { id }, patch, expectedUpdate);
    },
    remove: async (path, id, expectedUpdate) =>
      void (await handle(find('delete', `${path}/{id}`), { id }, undefined, expectedUpdate)),
    act: async (path, body) => void (await handle(find('post', path), {}, body)),
  };
}

type Transaction = CheckedEndpoint & { kind: 'transaction' };

function schemaOf({ method, path, body }: CheckedEndpoint): z.ZodType {
  if (body === null) throw new Error(`${method} ${path} takes no body`);
  return body;
}
