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
  session: OpenSession,
  caller: Caller,
  services: Pick<SignInServices, 'settings'>,
): Promise<unknown> {
  const { confirmedAtMs = null } = caller.session ?? {};
  const common = {
    signed_in: true,
    csrf_token: session.csrf,
    expires_at: toTimestamp(session.kind === 'stored' ? session.row.expires_at : session.sealed.expiresAt),
    confirmed_until: confirmedAtMs === null ? null : toTimestamp(confirmedAtMs + confirmedForMs),
    method: session.kind === 'stored' ? session.row.method : 'token',
    logout_url: null,
    ...waysIn(services),
  };
  const { actor, projectId, scopes } = caller;
  if (actor.type === 'token')
    return { ...common, person: null, projects: [], project_id: projectId, token_id: actor.id, scopes };
  return { ...common, ...(await viewOfPerson(sql, caller)), project_id: null, token_id: null, scopes: null };
}

/** The ways to sign in, and what the provider is called. */
export function waysIn({ settings }: Pick<SignInServices, 'settings'>) {
  return { methods: settings.methods, oidc_name: settings.oidc?.name ?? null };
}

async function viewOfPerson(sql: Sql, { actor, operator }: Caller) {
  const row = await findPerson(sql, actor.id);
  const projects = (await listProjectsOf(sql, actor.id)).map(project => {
    return { ...project, scopes: scopesOfRole(project.role, operator) };
  });
  if (row === null) return { person: null, projects };
  const { id, name, email, preferences } = viewPerson(row);
  return { person: { id, name, email, operator: row.operator, preferences }, projects };
}
