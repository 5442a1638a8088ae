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
  const { actor, member, expiresAt } = caller;
  const isPerson = actor.type === 'person';
  const used = isPerson ? actor.token : actor;
  const projectId = isPerson ? member?.projectId : caller.projectId;
  const scopes = [...(isPerson ? (member?.scopes ?? []) : caller.scopes)];
  const person = isPerson ? await findPerson(sql, actor.id) : null;
  if (isPerson && person === null) throw new Problem('missing_token');
  const project = projectId === undefined ? null : await findProject(sql, projectId);
  const ends = expiresAt === null ? null : toTimestamp(expiresAt);
  return {
    type: actor.type,
    person: person === null ? null : viewPerson(person),
    token: used === undefined ? null : { id: used.id, name: used.name, scopes, expires_at: ends },
    project: projectId === undefined ? null : { id: projectId, name: project?.name ?? '' },
    role: member?.role ?? null,
    scopes,
  };
}
