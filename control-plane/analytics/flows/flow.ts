import { z } from 'zod';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';

const scalar = z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]);

/** Operators on one property. All but `not_exists` are false if the property is missing; types are never converted. */
const operators = [
  'eq',
  'neq',
  'in',
  'not_in',
  'contains',
  'not_contains',
  'exists',
  'not_exists',
  'lt',
  'lte',
  'gt',
  'gte',
] as const;
export type Operator = (typeof operators)[number];

const conditionSchema = z
  .object({
    prop: z.string().min(1).max(200),
    op: z.enum(operators),
    value: z.union([scalar, z.array(scalar).min(1).max(100)]).optional(),
  })
  .check(context => {
    const fault = valueFault(context.value.op, context.value.value);
    if (fault !== null)
      context.issues.push({
        code: 'custom',
        params: { code: 'type' },
        message: fault,
        path: ['value'],
        input: context.value.value,
      });
  });
export type Condition = z.output<typeof conditionSchema>;

function valueFault(op: Operator, value: unknown): string | null {
  switch (op) {
    case 'exists':
    case 'not_exists':
      return null;
    case 'in':
    case 'not_in':
      return Array.isArray(value) ? null : 'must be a list of values';
    case 'contains':
    case 'not_contains':
      return typeof value === 'string' && value !== '' ? null : 'must be a non-empty string';
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return typeof value === 'number' ? null : 'must be a number';
    case 'eq':
    case 'neq':
      return value === undefined || Array.isArray(value) ? 'must be a string, a number, true, false or null' : null;
    default:
      return op satisfies never;
  }
}

const stepSchema = z
  .object({
    name: lineSchema(200).optional(),
    event: z.string().trim().min(1).max(200),
    where: z.array(conditionSchema).max(20).default([]),
  })
  .meta({ title: 'FlowStep' });
export type Step = z.output<typeof stepSchema>;

const stepsBytesMax = 16 * 1024;
const valuesMax = 1000;

/** Every version is read in each round of the roll-up, and its values are a statement's. */
const stepsSchema = z
  .array(stepSchema)
  .min(2)
  .max(20)
  .check(context => {
    const { value: steps, issues } = context;
    const values = steps.flatMap(step => step.where.flatMap(({ value }) => value));
    const fault =
      values.length > valuesMax
        ? `must have at most ${valuesMax} values in all`
        : Buffer.byteLength(JSON.stringify(steps)) > stepsBytesMax
          ? `must have at most ${stepsBytesMax} bytes of JSON`
          : null;
    if (fault !== null)
      issues.push({ code: 'custom', params: { code: 'too_long' }, message: fault, path: [], input: steps });
  });

const orders = ['ordered', 'strict'] as const;

const fields = {
  name: lineSchema(200),
  steps: stepsSchema.describe(
    `Steps of the flow, with at most ${valuesMax} values in all conditions and ${stepsBytesMax} bytes of JSON.`,
  ),
  window_seconds: z.int().min(60).max(2_592_000),
  order: z.enum(orders),
};

export const flowSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.string().nullable(),
    managed_by: z.string().nullable(),
    ...fields,
    version: z.int().describe('Version of the flow, which increases when steps, window or order change.'),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'Flow' });

const readOnly = { [readOnlyKey]: ['id', 'project_id', 'key', 'managed_by', 'version', 'created_at', 'updated_at'] };

export const flowPostSchema = z
  .object({ ...fields, window_seconds: fields.window_seconds.default(604_800), order: fields.order.default('ordered') })
  .meta(readOnly);
export const flowPatchSchema = z
  .object({
    name: fields.name.optional(),
    steps: fields.steps.optional(),
    window_seconds: fields.window_seconds.optional(),
    order: fields.order.optional(),
  })
  .meta(readOnly);

/** What a version of a flow counts: the steps, in which order, within how long after the first. */
export type FlowRule = { steps: readonly Step[]; windowSeconds: number; order: (typeof orders)[number] };

/** Names a stored version. */
export type FlowVersionKey = { flowId: string; projectId: string; version: number };

/**
 * A stored version of a flow. `filledAt` is null until its hours are listed for the roll-up; entries before
 * `completeFrom` were deleted before the version was created, null if none were.
 */
export type FlowVersion = FlowRule &
  FlowVersionKey & {
    filledAt: number | null;
    completeFrom: number | null;
  };

/** True if no event can match two steps: then one statement can count the funnel. */
export function isDisjoint(rule: FlowRule): boolean {
  return new Set(rule.steps.map(step => step.event)).size === rule.steps.length;
}

/** Names of the events that can matter; null if every event of a user can, because the order is strict. */
export function namesOf(rule: FlowRule): string[] | null {
  return rule.order === 'strict' ? null : [...new Set(rule.steps.map(step => step.event))];
}
