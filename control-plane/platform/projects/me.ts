import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { Sql } from '../db/sql.ts';
import type { Caller } from '../http/endpoint/endpoint.ts';
import { findProject } from './store.ts';

export const meSchema = z
  .object({
    type: z.enum(['token']),
    person: z.null(),
    token: z.object({
      id: z.string(),
      name: z.string(),
      scopes: z.array(z.string()),
      expires_at: z.string().nullable(),
    }),
    project: z.object({ id: z.string(), name: z.string() }),
    role: z.null(),
    scopes: z.array(z.string()),
  })
  .meta({ title: 'Me' });

/** What a caller may know of itself whatever its scopes: so a program finds out which token it was given. */
export async function showCaller(sql: Sql, caller: Caller): Promise<z.infer<typeof meSchema>> {
  const { projectId, scopes: granted, expiresAt } = caller;
  const { id, name } = caller.actor;
  const scopes = [...granted];
  const project = await findProject(sql, projectId);
  return {
    type: 'token',
    person: null,
    token: { id, name, scopes, expires_at: expiresAt === null ? null : toTimestamp(expiresAt) },
    project: { id: projectId, name: project?.name ?? '' },
    role: null,
    scopes,
  };
}
