import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import {
  type AuditAction,
  type AuditResource,
  actionOf,
  auditActions,
  auditResources,
  namesOf,
  resourceOf,
} from '../audit/actions.ts';
import { actorTypes, auditWays } from '../audit/entry.ts';
import type { AuditRow } from './audit-store.ts';

const fields = z.record(z.string(), z.unknown()).nullable();

const effectSchema = z.object({
  resource: z.enum(auditResources),
  subject: z.string(),
  name: z.string().nullable(),
  before: fields,
  after: fields,
});

/** An entry as the API shows it. */
export const auditSchema = z
  .object({
    id: z.string(),
    at: z.string(),
    actor: z.object({
      type: z.enum(actorTypes),
      id: z.string().describe('ID of the token or person, or `operator`.'),
      name: z.string().nullable().describe('Name at that time.'),
      token: z.object({ id: z.string(), name: z.string() }).nullable(),
    }),
    via: z.enum(auditWays),
    action: z.enum(auditActions),
    resource: z.enum(auditResources),
    subject: z.string().describe('ID of the resource that changed.'),
    name: z.string().nullable().describe('Name at that time.'),
    before: fields.describe(
      'Fields that changed, with their values before; null if the resource was created. A secret is shown ' +
        'as `secret:` and a hash.',
    ),
    after: fields.describe('The same fields with their values after; null if the resource was deleted.'),
    also: z
      .array(effectSchema)
      .describe('Other changes of the request; for lists, only the items that were added or removed.'),
    request_id: z.string().nullable(),
    plan_id: z.string().nullable(),
    detail: fields.describe(
      'Text that entries of version 0.4 and before have instead of `before` and `after`; otherwise null.',
    ),
  })
  .meta({ title: 'AuditEntry' });
export type AuditView = z.infer<typeof auditSchema>;

const formerOperator = 'operator';
const formerBulk = 'POST /v0/monitors/bulk';

export function viewAudit(row: AuditRow): AuditView {
  const { id, subject, name, before, after, request_id, plan_id } = row;
  const action = actionOf(row.action);
  const isFormer = row.actor_type === null;
  const type = row.actor_type ?? (row.actor === formerOperator ? 'admin' : 'token');
  const formerVia = row.action === formerBulk ? 'bulk' : type === 'admin' ? 'admin' : 'api';
  return {
    id,
    at: toTimestamp(row.at),
    actor: { type, id: row.actor, name: row.actor_name, token: row.actor_token },
    via: row.via ?? formerVia,
    action,
    resource: resourceOf(action),
    subject,
    name,
    before,
    after,
    also: row.also ?? [],
    request_id,
    plan_id,
    detail: isFormer ? row.detail : null,
  };
}

/** The names, as stored, of what these filters let through; null for any. */
export function storedNames(
  actions: readonly AuditAction[] | undefined,
  resources: readonly AuditResource[] | undefined,
): string[] | null {
  if (actions === undefined && resources === undefined) return null;
  return auditActions
    .filter(action => actions?.includes(action) ?? true)
    .filter(action => resources?.includes(resourceOf(action)) ?? true)
    .flatMap(namesOf);
}
