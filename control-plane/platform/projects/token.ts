import { z } from 'zod';
import type { Fields } from '../audit/entry.ts';
import { readOnlyKey } from '../http/bodies/validate.ts';
import { peopleScope } from '../http/endpoint/caller.ts';
import { timestampSchema } from '../http/endpoint/parameters.ts';
import { lineSchema } from '../http/line.ts';

const resources = [
  'project',
  'tokens',
  'monitors',
  'alerts',
  'channels',
  'routes',
  'agents',
  'incidents',
  'status-pages',
  'components',
  'subscribers',
  'events',
  'releases',
  'flows',
  'audit',
  'maintenances',
  'walls',
  'secrets',
  'members',
  'users',
];

/** Every scope that somebody can have. `agents:operate` also shows shared agents; only the operator has it. */
export const allScopes = [
  '*',
  ...resources.flatMap(resource => [`${resource}:read`, `${resource}:write`]),
  'agents:operate',
] as [string, ...string[]];

/** Every scope that a token can have: who is in a project is for people to say. */
export const scopes = allScopes.filter(scope => scope !== peopleScope) as [string, ...string[]];

export const tokenSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    expires_at: z.string().nullable(),
    last_used_at: z.string().nullable(),
    revoked_at: z.string().nullable(),
    created_at: z.string(),
    created_by: z.string().nullable().describe('ID of the token or person that created it; null if the operator did.'),
    person_id: z.string().nullable(),
    token: z.string().optional().describe('The secret. Returned only when the token is created.'),
  })
  .meta({ title: 'Token' });
export type TokenView = z.infer<typeof tokenSchema>;

/** A token for the audit, without its secret. */
export function auditToken({ name, scopes, expires_at, created_by, person_id }: TokenView): Fields {
  return { name, scopes, expires_at, created_by, ...(person_id === null ? {} : { person_id }) };
}

export const tokenPostSchema = z
  .object({
    name: lineSchema(200),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length),
    expires_at: timestampSchema
      .nullable()
      .optional()
      .describe(
        'Time when the token expires, at the latest that of your own token, which is the default; null for ' + 'never.',
      ),
  })
  .meta({
    [readOnlyKey]: ['id', 'project_id', 'last_used_at', 'revoked_at', 'created_at', 'created_by', 'person_id', 'token'],
  });
export type TokenPost = z.output<typeof tokenPostSchema>;

/** A token of a person. It always ends. */
export const ownTokenPostSchema = tokenPostSchema.extend({
  project_id: z.string().max(40),
  expires_at: timestampSchema
    .optional()
    .describe('Time when the token expires, at most 400 days ahead; the default is in 90 days.'),
});
