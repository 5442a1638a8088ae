import { z } from 'zod';
import { configTypes } from '#shared/config-types.ts';
import { actorTypes, auditWays } from '../../platform/audit/entry.ts';
import { actionBacktestSchema, planBacktestSchema } from '../backtest/backtest.ts';

const actionNames = ['create', 'update', 'adopt', 'delete', 'conflict'] as const;
const conflictReasons = [
  'exists_unmanaged',
  'other_manager',
  'in_use',
  'name_taken',
  'slug_taken',
  'limit_reached',
  'kind_changed',
  'newer_version',
] as const;
export type ConflictReason = (typeof conflictReasons)[number];
const planReasons = ['conflicts', 'too_many_changes', 'uncompared'] as const;

const countsSchema = z
  .object({
    create: z.int(),
    update: z.int(),
    adopt: z.int(),
    delete: z.int(),
    unchanged: z.int(),
    conflict: z.int(),
  })
  .meta({ title: 'ConfigCounts' });
export type Counts = z.infer<typeof countsSchema>;

const changeSchema = z.object({ pointer: z.string(), before: z.unknown(), after: z.unknown() });
/** The last change of a resource that was none of an apply. */
const driftSchema = z
  .object({
    audit_id: z.string(),
    at: z.string(),
    actor: z.object({ type: z.enum(actorTypes), id: z.string(), name: z.string().nullable() }),
    via: z.enum(auditWays),
  })
  .meta({ title: 'ConfigDrift' });

const warningSchema = z
  .object({
    code: z.enum(['literal_secret', 'uncompared']),
    pointer: z.string().nullable(),
    detail: z.string(),
    path: z.string().nullable(),
    line: z.int().nullable(),
  })
  .meta({ title: 'ConfigWarning' });

const actionSchema = z
  .object({
    type: z.enum(configTypes),
    key: z.string(),
    id: z.string().nullable(),
    name: z.string().nullable(),
    action: z.enum(actionNames),
    reason: z.enum(conflictReasons).nullable(),
    changes: z.array(changeSchema),
    drift: driftSchema.nullable(),
    bumps: z.boolean(),
    drops_votes: z.boolean(),
    uncompared: z.boolean(),
    revives: z.string().nullable(),
    backtest: actionBacktestSchema,
    path: z.string().nullable(),
    line: z.int().nullable(),
  })
  .meta({ title: 'ConfigAction' });
export type Action = z.infer<typeof actionSchema>;

export const planSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    manager: z.string(),
    created_at: z.string(),
    expires_at: z.string(),
    applied_at: z.string().nullable(),
    applicable: z.boolean(),
    reasons: z.array(z.enum(planReasons)),
    counts: countsSchema,
    remaining: z.int(),
    actions: z.array(actionSchema),
    backtest: planBacktestSchema.nullable(),
    warnings: z.array(warningSchema),
  })
  .meta({ title: 'ConfigPlan' });
export type Plan = z.infer<typeof planSchema>;

const name = /^[A-Z][A-Z0-9_]{0,99}$/;
const documentSchema = z.object({ path: z.string().min(1).max(300), text: z.string() });

export const planRequestSchema = z.object({
  documents: z.array(documentSchema).min(1).max(200).optional(),
  document: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  env: z
    .record(z.string(), z.string().max(65_536))
    .superRefine((values, context) => {
      const names = Object.keys(values);
      if (names.length > 500)
        context.addIssue({ code: 'custom', params: { code: 'too_long' }, message: 'must have at most 500 names' });
      for (const wrong of names.filter(given => !name.test(given)))
        context.addIssue({ code: 'custom', path: [wrong], message: 'must be named in capitals, such as API_TOKEN' });
    })
    .default({}),
  prune: z.boolean().default(false),
  adopt: z.boolean().default(false),
  partial: z.boolean().default(false),
  backtest: z.enum(['none', '24h', '7d']).default('24h'),
});
export type PlanRequest = z.output<typeof planRequestSchema>;

export const applyRequestSchema = z.object({
  plan_id: z.string().max(40),
  expected_deletes: z.int().min(0).max(5000).default(0),
});
