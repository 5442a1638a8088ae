import { toTimestamp } from '#shared/clock.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { confirmedForMs } from '../../platform/http/endpoint/require-allowed.ts';
import { scopesOfRole } from '../../platform/projects/roles.ts';
import { listProjectsOf } from '../members/store.ts';
import { viewPerson } from '../people/person.ts';
import { findPerson } from '../people/store.ts';
import type { OpenSession } from '../sessions/caller-of.ts';
import type { SignInServices } from './services.ts';

/** What the dashboard shows of the session: of a person with all their projects, of a token with its own. */
export async function viewSession(
  sql: Sql,
  { csrf, row }: OpenSession,
  caller: Caller,
  services: Pick<SignInServices, 'settings'>,
): Promise<unknown> {
  const { confirmedAtMs = null } = caller.session ?? {};
  const common = {
    signed_in: true,
    csrf_token: csrf,
    expires_at: toTimestamp(row.expires_at),
    confirmed_until: confirmedAtMs === null ? null : toTimestamp(confirmedAtMs + confirmedForMs),
    method: row.method,
    logout_url: row.logout_url,
    ...waysIn(services),
  };
  const { actor, projectId, scopes } = caller;
  if (actor.type === 'token')
    return { ...common, person: null, projects: [], project_id: projectId, token_id: actor.id, scopes };
  const { token, ...person } = await viewOfPerson(sql, caller);
  return { ...common, ...person, ...(token ?? { project_id: null, token_id: null, scopes: null }) };
}

/** The ways to sign in, and what the provider is called. */
export function waysIn({ settings }: Pick<SignInServices, 'settings'>) {
  return { methods: settings.methods, oidc_name: settings.oidc?.name ?? null };
}

/** Somebody with their projects; who signed in by a token of theirs has the one that it is for. */
async function viewOfPerson(sql: Sql, { actor, operator = false, member }: Caller) {
  const row = await findPerson(sql, actor.id);
  const all = await listProjectsOf(sql, actor.id);
  const isOwn = ({ id }: { id: string }) => actor.token === undefined || id === member?.projectId;
  const projects = all.filter(isOwn).map(project => {
    return { ...project, scopes: actor.token === undefined ? scopesOfRole(project.role, operator) : member?.scopes };
  });
  const token =
    actor.token === undefined || member === undefined
      ? null
      : { project_id: member.projectId, token_id: actor.token.id, scopes: member.scopes };
  if (row === null) return { person: null, projects, token };
  const { id, name, email, preferences } = viewPerson(row);
  return { person: { id, name, email, operator, preferences }, projects, token };
}
