import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { Problem } from '../../platform/http/problem.ts';
import { roles } from '../../platform/projects/roles.ts';
import { findProject } from '../../platform/projects/store.ts';
import { personSchema, viewPerson } from './person.ts';
import { findPerson } from './store.ts';

export const meSchema = z
  .object({
    type: z.enum(['person', 'token']),
    person: personSchema.nullable(),
    token: z
      .object({ id: z.string(), name: z.string(), scopes: z.array(z.string()), expires_at: z.string().nullable() })
      .nullable(),
    project: z.object({ id: z.string(), name: z.string() }).nullable(),
    role: z.enum(roles).nullable(),
    scopes: z.array(z.string()),
  })
  .meta({ title: 'Me' });

/** What a caller may know of itself whatever its scopes: so a program finds out which token it was given. */
export async function showCaller(sql: Sql, caller: Caller): Promise<z.infer<typeof meSchema>> {
  const { actor, projectId, scopes: granted, expiresAt } = caller;
  const scopes = [...granted];
  if (actor.type === 'person') {
    const person = await findPerson(sql, actor.id);
    if (person === null) throw new Problem('missing_token');
    return { type: 'person', person: viewPerson(person), token: null, project: null, role: null, scopes };
  }
  const project = await findProject(sql, projectId);
  const { id, name } = actor;
  return {
    type: 'token',
    person: null,
    token: { id, name, scopes, expires_at: expiresAt === null ? null : toTimestamp(expiresAt) },
    project: { id: projectId, name: project?.name ?? '' },
    role: null,
    scopes,
  };
}
