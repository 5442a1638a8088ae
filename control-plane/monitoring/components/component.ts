import { z } from 'zod';
import { componentStatuses, shownStatuses } from '#shared/vocabulary.ts';
import { readOnlyKey, refuseRepeats } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { selectorField } from '../../platform/selectors/schema.ts';

const fields = {
  name: lineSchema(200),
  description: z.string().max(2000),
  group: lineSchema(200).nullable(),
  position: z.int().min(0).max(1_000_000),
  status: z.enum(componentStatuses),
  monitor_ids: z.array(z.string().max(64)).max(100).superRefine(refuseRepeats),
  monitor_selector: selectorField.nullable(),
  show_uptime: z.boolean(),
};
const readOnly = [
  'id',
  'project_id',
  'key',
  'managed_by',
  'shown_status',
  'matched_monitor_ids',
  'matched_truncated',
  'created_at',
  'updated_at',
];

/** Body of POST. Without a position the component is added at the end of the page. */
export const componentPostSchema = z
  .object({
    status_page_id: z.string().max(64),
    ...fields,
    description: fields.description.default(''),
    group: fields.group.default(null),
    position: fields.position.nullable().default(null),
    status: fields.status.default('operational'),
    monitor_ids: fields.monitor_ids.default([]),
    monitor_selector: fields.monitor_selector.default(null),
    show_uptime: fields.show_uptime.default(true),
  })
  .meta({ [readOnlyKey]: readOnly });
export type ComponentPost = z.output<typeof componentPostSchema>;

/** Body of PATCH. A component cannot move to another page. */
export const componentPatchSchema = z
  .object(fields)
  .partial()
  .meta({ [readOnlyKey]: [...readOnly, 'status_page_id'] });
export type ComponentPatch = z.output<typeof componentPatchSchema>;

/** Body of the call that orders a page: all of its components, each with its group. */
export const componentOrderSchema = z.object({
  status_page_id: z.string().max(64),
  components: z
    .array(z.object({ id: z.string().max(64), group: fields.group }))
    .max(1000)
    .superRefine((items, context) => {
      const ids = items.map(item => item.id);
      for (const [index, id] of ids.entries())
        if (ids.indexOf(id) < index)
          context.addIssue({
            code: 'custom',
            path: [index, 'id'],
            params: { code: 'not_allowed' },
            message: 'is given twice',
          });
    }),
});
export type ComponentOrder = z.output<typeof componentOrderSchema>;

export const componentSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.string().nullable(),
    managed_by: z.string().nullable(),
    status_page_id: z.string(),
    ...fields,
    matched_monitor_ids: z
      .array(z.string())
      .describe('IDs of the monitors that match `monitor_selector`, the first 500 by ID.'),
    matched_truncated: z.boolean().describe('Whether more than 500 monitors match.'),
    shown_status: z
      .enum(shownStatuses)
      .describe(
        'Status that visitors see: the worst of `status`, open incidents and monitor verdicts; `unknown` if ' +
          'a monitor has no verdict.',
      ),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'Component' });
export type ComponentView = z.infer<typeof componentSchema>;
