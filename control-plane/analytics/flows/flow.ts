import { z } from 'zod';
import { conditionSchema } from '../../platform/conditions/condition.ts';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';

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
