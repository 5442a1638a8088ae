import { createHmac } from 'node:crypto';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import type { Endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import type { Pepper } from '../../platform/secrets/pepper-store.ts';
import { requireScopes } from '../kinds/scopes.ts';
import type { Plan, PlanRequest } from './plan.ts';
import { type Outcome, plainAction, type Wanted } from './run.ts';
import { readDocuments } from './sources.ts';
import { findPlan, type PlanRow } from './store.ts';

export type PlanServices = {
  keyring: Keyring;
  pepper: Pepper;
  /** Those of the API, by which documents are validated and written. */
  endpoints: readonly Endpoint[];
};

/** A plan, the state of the project that it was made from, and the types of what its documents name. */
export type StoredPlan = { plan: Plan; basis: Outcome['basis']; types: readonly string[] };

/** Seals a part of a plan for its row. */
export function sealPart(keyring: Keyring, id: string, part: 'request' | 'plan', value: unknown): Uint8Array {
  return keyring.seal(JSON.stringify(value), contextOf(id, part));
}

/** A plan whose types the caller may read. Throws `not_found`, `insufficient_scope`. */
export async function readPlan(
  sql: Sql,
  keyring: Keyring,
  { projectId, scopes }: Caller,
  id: string,
  nowMs: number,
): Promise<StoredPlan & { row: PlanRow }> {
  const row = await findPlan(sql, projectId, id, nowMs);
  if (row === null) throw new Problem('not_found');
  const stored = JSON.parse(keyring.open(row.sealed_plan, contextOf(id, 'plan'))) as StoredPlan;
  // Plans of versions before have none of these members.
  const actions = stored.plan.actions.map(action => ({ ...plainAction, ...action }));
  const plan = { ...stored.plan, warnings: stored.plan.warnings ?? [], actions };
  requireScopes([...stored.types, ...stored.plan.actions.map(({ type }) => type)], scopes, 'read');
  return { ...stored, plan, row };
}

/** The request that a plan was made from. */
export function requestOf(keyring: Keyring, { id, sealed_request }: PlanRow): PlanRequest {
  return JSON.parse(keyring.open(sealed_request, contextOf(id, 'request'))) as PlanRequest;
}

export function wantedOf(request: PlanRequest, projectId: string): Wanted {
  const { env: environment, prune, adopt } = request;
  return { merged: readDocuments(request, projectId), environment, prune, adopt };
}

/** A keyed hash that outlives the keys of SECRETS_KEYS: what it is made of may hold secrets. */
export async function documentHash(pepper: Pepper): Promise<(text: string) => string> {
  const key = await pepper();
  return text => createHmac('sha256', key).update(`configuration ${text}`).digest('base64url').slice(0, 22);
}

function contextOf(id: string, part: string): string {
  return `config_plan ${id} ${part}`;
}
