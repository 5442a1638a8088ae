import { z } from 'zod';
import { describeIssue } from '../../../platform/http/bodies/describe-issue.ts';
import type { ValidFields } from '../../../platform/http/bodies/parse-body.ts';
import { pointerTo } from '../../../platform/http/bodies/unknown-fields.ts';
import { refuseRepeats } from '../../../platform/http/bodies/validate.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import { selectorField } from '../../../platform/selectors/schema.ts';
import { type Labels, labelsSchema } from '../labels/labels.ts';
import { bulkPatchSchema, type MonitorPatch } from '../monitor.ts';

/** Most monitors of one call. */
export const bulkMax = 500;

const actions = ['pause', 'resume', 'delete', 'add_labels', 'remove_labels', 'patch', 'check_now'] as const;

export const bulkSchema = z.object({
  selector: selectorField.optional(),
  ids: z.array(z.string().max(64)).min(1).max(bulkMax).superRefine(refuseRepeats).optional(),
  action: z.enum(actions),
  labels: z
    .union([z.record(z.string(), z.string()), z.array(z.string().max(63)).min(1).max(32)])
    .optional()
    .describe('For `add_labels` an object with the labels, for `remove_labels` an array of keys.'),
  patch: bulkPatchSchema
    .optional()
    .describe('For `patch`: fields as in a PATCH of a monitor, except `name` and `url`.'),
  expected_count: z
    .int()
    .min(0)
    .optional()
    .describe('Number of monitors that match the selector according to a dry run; required with a selector.'),
  dry_run: z.boolean().default(false).describe('Whether to change nothing and only show what would be changed.'),
});
export type BulkBody = z.output<typeof bulkSchema>;

const outcomes = ['changed', 'unchanged', 'failed'] as const;

const itemSchema = z.object({
  id: z.string(),
  name: z.string().nullable().describe('Name of the monitor; null if the project has no such monitor.'),
  outcome: z.enum(outcomes),
  problem: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The problem that a request for this monitor alone would return; null without one.'),
});
export type BulkItem = z.infer<typeof itemSchema>;

const count = z.int().min(0);
export const bulkAnswerSchema = z.object({
  matched: count,
  changed: count,
  unchanged: count,
  failed: count,
  dry_run: z.boolean(),
  items: z.array(itemSchema).describe('One item for each monitor, in order of IDs.'),
});

/** The body of the response. */
export function bulkAnswer(items: readonly BulkItem[], dryRun: boolean): z.infer<typeof bulkAnswerSchema> {
  const counted = (outcome: BulkItem['outcome']) => items.filter(item => item.outcome === outcome).length;
  const [changed, unchanged, failed] = [counted('changed'), counted('unchanged'), counted('failed')];
  return { matched: items.length, changed, unchanged, failed, dry_run: dryRun, items: [...items] };
}

/** What a call does to each monitor. */
export type BulkAction =
  | { type: 'patch'; patch: MonitorPatch }
  | { type: 'delete' }
  | { type: 'check_now' }
  | { type: 'add_labels'; labels: Labels }
  | { type: 'remove_labels'; keys: readonly string[] };

/** The action of a body without errors. */
export function actionOf({ action, labels, patch }: BulkBody): BulkAction {
  switch (action) {
    case 'pause':
    case 'resume':
      return { type: 'patch', patch: { enabled: action === 'resume' } };
    case 'delete':
    case 'check_now':
      return { type: action };
    case 'patch':
      return { type: 'patch', patch: patch ?? {} };
    case 'add_labels':
      return { type: 'add_labels', labels: Array.isArray(labels) ? {} : (labels ?? {}) };
    case 'remove_labels':
      return { type: 'remove_labels', keys: Array.isArray(labels) ? labels : [] };
    default:
      return action satisfies never;
  }
}

/** Errors between the fields. Takes what was sent, since a selector that is wrong was given nonetheless. */
export function bulkErrors(fields: ValidFields<BulkBody>): FieldError[] {
  const { selector, ids, action, labels, patch, expected_count: expected, dry_run: dryRun } = fields;
  const errors: FieldError[] = [];
  const given = ['selector' in fields, 'ids' in fields].filter(Boolean).length;
  if (given !== 1) errors.push({ pointer: '', code: 'required', detail: 'needs either `selector` or `ids`' });
  if (selector !== undefined && ids === undefined && dryRun !== true && expected === undefined)
    errors.push({ pointer: '/expected_count', code: 'required', detail: 'is required with a selector' });
  if (action === undefined) return errors;
  errors.push(...labelErrors(action, labels));
  if (action === 'patch' && !('patch' in fields))
    errors.push({ pointer: '/patch', code: 'required', detail: 'is required' });
  if (action !== 'patch' && patch !== undefined)
    errors.push({ pointer: '/patch', code: 'not_allowed', detail: `does not belong to the action ${action}` });
  return errors;
}

function labelErrors(action: BulkBody['action'], labels: BulkBody['labels']): FieldError[] {
  const pointer = '/labels';
  const takes = action === 'add_labels' || action === 'remove_labels';
  if (labels === undefined) return takes ? [{ pointer, code: 'required', detail: 'is required' }] : [];
  if (!takes) return [{ pointer, code: 'not_allowed', detail: `does not belong to the action ${action}` }];
  if (Array.isArray(labels))
    return action === 'add_labels' ? [{ pointer, code: 'type', detail: 'must be an object' }] : [];
  if (action === 'remove_labels') return [{ pointer, code: 'type', detail: 'must be an array of keys' }];
  const issues = labelsSchema.safeParse(labels, { reportInput: true }).error?.issues ?? [];
  return issues.map(issue => ({ pointer: pointerTo(['labels', ...issue.path]), ...describeIssue(issue, labels) }));
}
