import { z } from 'zod';
import { timestampSchema } from '../http/parameters.ts';
import { readOnlyKey } from '../http/validate.ts';

const resources = [
  'project',
  'tokens',
  'monitors',
  'alerts',
  'agents',
  'incidents',
  'status-pages',
  'components',
  'subscribers',
  'events',
  'releases',
  'flows',
];

/** Every scope a token can have. `agents:operate` also shows shared agents and is for the operator. */
export const scopes = [
  '*',
  ...resources.flatMap(resource => [`${resource}:read`, `${resource}:write`]),
  'agents:operate',
] as [string, ...string[]];

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
    token: z.string().optional().describe('the secret; only in the answer that made it'),
  })
  .meta({ title: 'Token' });
export type TokenView = z.infer<typeof tokenSchema>;

export const tokenPostSchema = z
  .object({
    name: z.string().trim().min(1).max(200),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length),
    expires_at: timestampSchema.nullable().default(null),
  })
  .meta({ [readOnlyKey]: ['id', 'project_id', 'last_used_at', 'revoked_at', 'created_at', 'token'] });
export type TokenPost = z.output<typeof tokenPostSchema>;
