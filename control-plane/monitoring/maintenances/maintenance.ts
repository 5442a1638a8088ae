import { z } from 'zod';
import { readOnlyKey, refuseRepeats } from '../../platform/http/bodies/validate.ts';
import { timestampSchema } from '../../platform/http/endpoint/parameters.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { selectorField } from '../../platform/selectors/schema.ts';
import { scheduleSchema } from './occurrences/schedule-schema.ts';

export const maintenanceStates = ['scheduled', 'in_progress', 'completed', 'cancelled'] as const;
export type MaintenanceState = (typeof maintenanceStates)[number];
const updateStates = ['scheduled', 'in_progress', 'verifying', 'completed'] as const;
export type UpdateState = (typeof updateStates)[number];
/** The state of an update as pages and subscribers see it. */
export type ShownUpdateState = UpdateState | 'cancelled';
const notifyKinds = ['announced', 'started', 'updates', 'completed'] as const;
type NotifyKind = (typeof notifyKinds)[number];

const ids = (max: number) => z.array(z.string().max(64)).max(max).superRefine(refuseRepeats).default([]);
const markdown = (min: number) =>
  z
    .string()
    .max(25_000)
    .refine(text => text.trim().length >= min, { params: { code: 'too_short' }, message: 'must not be blank' })
    .describe('Text in Markdown.');

const scopeSchema = z.object({
  monitor_ids: ids(500),
  selector: selectorField.nullable().default(null),
  component_ids: ids(200),
  status_page_ids: ids(20),
});

const fields = {
  title: lineSchema(255),
  description: markdown(0),
  scope: scopeSchema.describe(
    'Monitors that are covered: all of these together. Components and pages bring their monitors.',
  ),
  starts_at: timestampSchema.nullable(),
  ends_at: timestampSchema.nullable(),
  schedule: scheduleSchema
    .nullable()
    .describe('Schedule of a recurring maintenance, instead of `starts_at` and `ends_at`; null for a single window.'),
  alerts: z.enum(['hold', 'send']).describe('`hold` delays notifications of alerts until the maintenance is over.'),
  exclude_from_uptime: z.boolean(),
  settle_seconds: z
    .int()
    .min(0)
    .max(3600)
    .describe('Seconds after the end of the window after which alerts that are still open are sent.'),
  announced: z.boolean().describe('Whether status pages show the maintenance window.'),
  announce_before_hours: z.int().min(0).max(720),
  notify: z
    .array(z.enum(notifyKinds))
    .max(notifyKinds.length)
    .superRefine(refuseRepeats)
    .describe('What subscribers of the pages are notified of; empty for nothing.'),
};

const readOnly = [
  'id',
  'project_id',
  'key',
  'managed_by',
  'state',
  'current',
  'next',
  'matched_monitors',
  'updates',
  'created_at',
  'updated_at',
];

export const maintenancePostSchema = z
  .object({
    ...fields,
    description: fields.description.default(''),
    starts_at: fields.starts_at.default(null),
    ends_at: fields.ends_at.default(null),
    schedule: fields.schedule.default(null),
    alerts: fields.alerts.default('hold'),
    exclude_from_uptime: fields.exclude_from_uptime.default(true),
    settle_seconds: fields.settle_seconds.default(60),
    announced: fields.announced.default(false),
    announce_before_hours: fields.announce_before_hours.default(72),
    notify: fields.notify.nullable().default(null),
  })
  .meta({ [readOnlyKey]: readOnly });
export type MaintenancePost = z.output<typeof maintenancePostSchema>;

export const maintenancePatchSchema = z
  .object(fields)
  .partial()
  .meta({ [readOnlyKey]: readOnly });
export type MaintenancePatch = z.output<typeof maintenancePatchSchema>;

/** Everything that a client sets. */
export type MaintenanceSettings = Omit<MaintenancePost, 'notify'> & { notify: NotifyKind[] };

export const updatePostSchema = z
  .object({
    state: z
      .enum(updateStates)
      .optional()
      .describe(
        'State of the maintenance with this update; by default the current one. `completed` ends the ' + 'maintenance.',
      ),
    body: markdown(1),
    occurrence_id: z.string().max(64).optional(),
  })
  .meta({ [readOnlyKey]: ['id', 'posted_at', 'edited_at'] });
export type UpdatePost = z.output<typeof updatePostSchema>;

export const updatePatchSchema = z
  .object({ body: markdown(1) })
  .meta({ [readOnlyKey]: ['id', 'occurrence_id', 'state', 'posted_at', 'edited_at'] });

export const extendSchema = z.object({ ends_at: timestampSchema, occurrence_id: z.string().max(64).optional() });
export const occurrenceChoiceSchema = z.object({ occurrence_id: z.string().max(64).optional() });

export const occurrenceSchema = z
  .object({
    id: z.string(),
    starts_at: z.string(),
    ends_at: z.string(),
    original_start: z.string(),
    state: z.enum(maintenanceStates),
    monitors: z.int().describe('Number of monitors in the group.'),
  })
  .meta({ title: 'MaintenanceOccurrence' });
export type OccurrenceView = z.infer<typeof occurrenceSchema>;

/** An occurrence in a list of those of all windows. */
export const plannedOccurrenceSchema = occurrenceSchema
  .extend({ maintenance_id: z.string(), title: z.string(), announced: z.boolean() })
  .meta({ title: 'PlannedOccurrence' });

const updateSchema = z
  .object({
    id: z.string(),
    occurrence_id: z.string(),
    state: z.enum(updateStates),
    body: z.string(),
    posted_at: z.string(),
    edited_at: z.string().nullable(),
  })
  .meta({ title: 'MaintenanceUpdate' });

export const maintenanceSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.string().nullable(),
    managed_by: z.string().nullable(),
    ...fields,
    scope: z.object({
      monitor_ids: z.array(z.string()),
      selector: z.string().nullable(),
      component_ids: z.array(z.string()),
      status_page_ids: z.array(z.string()),
    }),
    starts_at: z.string().nullable(),
    ends_at: z.string().nullable(),
    state: z.enum(maintenanceStates),
    current: occurrenceSchema.nullable(),
    next: occurrenceSchema.nullable(),
    matched_monitors: z.int().describe('Number of monitors in the scope now.'),
    updates: z.array(updateSchema).describe('The latest hundred updates, in order of posting.'),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'Maintenance' });
export type MaintenanceView = z.infer<typeof maintenanceSchema>;

export const previewSchema = z
  .object({
    occurrences: z
      .array(z.object({ starts_at: z.string(), ends_at: z.string() }))
      .describe('The first twenty occurrences.'),
    monitors: z.int().describe('Number of monitors that match.'),
    components: z.array(z.string()),
    status_pages: z.array(z.string()).describe('Status pages that show it.'),
  })
  .meta({ title: 'MaintenancePreview' });

/** What subscribers hear of without a `notify`: a weekly window is not announced anew every week. */
export function defaultNotify(isRecurring: boolean): NotifyKind[] {
  return isRecurring ? ['updates'] : ['announced', 'updates'];
}

/**
 * What an update says, whenever it is read: the one that ends a cancelled window, and those after it, do not say that
 * the work is done.
 */
export function shownUpdateState(state: UpdateState, postedAt: number, cancelledAt: number | null): ShownUpdateState {
  return state === 'completed' && cancelledAt !== null && postedAt >= cancelledAt ? 'cancelled' : state;
}
