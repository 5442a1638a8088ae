import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import type { Answer } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findIncident, viewIncident } from './store.ts';

/** Answers with an incident of the caller's project; 201 adds `Location`. Throws `not_found`. */
export type ShowIncident = (sql: Sql, caller: Caller, id: string, status?: number) => Promise<Answer>;

export function showIncident(baseUrl: string): ShowIncident {
  return async (sql, caller, id, status = 200) => {
    const row = await findIncident(sql, caller.projectId, id);
    if (row === null) throw new Problem('not_found');
    const headers: Record<string, string> = status === 201 ? { Location: `/v0/incidents/${id}` } : {};
    return { status, body: viewIncident(row, baseUrl), headers };
  };
}
