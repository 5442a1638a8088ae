import { z } from 'zod';
import { unknownComponents } from '../../../monitoring/components/reference-store.ts';
import { updateLimits } from '../../../monitoring/maintenances/updates/limits.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { ValidFields } from '../../../platform/http/bodies/parse-body.ts';
import { timestampSchema } from '../../../platform/http/endpoint/parameters.ts';
import { lineSchema } from '../../../platform/http/line.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import { incidentFields, postmortemSchema, updatePostSchema } from '../incident.ts';

const importedUpdateSchema = updatePostSchema.extend({
  posted_at: timestampSchema.describe('Time when the update was posted there.'),
});

const importedIncidentSchema = z.object({
  external_id: z.string().min(1).max(200).describe('ID of the incident in the other tool.'),
  title: incidentFields.title,
  severity: incidentFields.severity,
  impact: incidentFields.impact,
  affected_components: incidentFields.affected_components.default([]),
  started_at: incidentFields.started_at,
  updates: z.array(importedUpdateSchema).min(1).max(100).describe('Oldest first; the last one resolves the incident.'),
  postmortem_body: postmortemSchema.default(null),
});

/** Past incidents of another tool, for one status page. */
export const incidentImportSchema = z.object({
  status_page_id: z.string().max(64),
  source: lineSchema(50).describe('Name of the other tool.'),
  incidents: z.array(importedIncidentSchema).min(1).max(100),
});
export type IncidentImport = z.output<typeof incidentImportSchema>;

export const incidentImportAnswerSchema = z
  .object({
    created: z.int().describe('Number of incidents that were created.'),
    unchanged: z.int().describe('Number of incidents that an earlier import has brought.'),
    items: z
      .array(
        z.object({
          external_id: z.string().describe('ID of the incident in the other tool.'),
          id: z.string().describe('ID of the incident here.'),
          outcome: z.enum(['created', 'unchanged']).describe('What became of the incident.'),
        }),
      )
      .describe('The incidents in the order of the request.'),
  })
  .meta({ title: 'IncidentImport' });

/** What is wrong between fields, with the clock, and with what the project has. */
export async function importErrors(
  sql: Sql,
  projectId: string,
  fields: ValidFields<IncidentImport>,
  nowMs: number,
): Promise<FieldError[]> {
  const { incidents = [], status_page_id: pageId = '' } = fields;
  const named = incidents.flatMap(({ affected_components: ids }) => ids);
  const unknown = new Set(await unknownComponents(sql, projectId, [...new Set(named)], pageId));
  const ids = incidents.map(({ external_id: id }) => id);
  return incidents.flatMap((incident, index) => {
    const at = `/incidents/${index}`;
    const components = incident.affected_components.flatMap((id, place): FieldError[] => {
      const pointer = `${at}/affected_components/${place}`;
      if (!unknown.has(id)) return [];
      return [{ pointer, code: 'unknown_reference', detail: 'is not a component of this status page' }];
    });
    const isRepeated = ids.indexOf(incident.external_id) < index;
    const repeated: FieldError[] = isRepeated
      ? [{ pointer: `${at}/external_id`, code: 'not_allowed', detail: 'is given twice' }]
      : [];
    return [...repeated, ...components, ...timeErrors(incident, at, nowMs)];
  });
}

/** Pure: an imported incident lies in the past, its updates ascend, and the last one resolves it. */
function timeErrors(
  { started_at: startedAt, updates }: IncidentImport['incidents'][number],
  at: string,
  nowMs: number,
): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (pointer: string, code: FieldError['code'], detail: string) =>
    errors.push({ pointer: `${at}${pointer}`, code, detail });
  const last = updates.length - 1;
  let before = Number.NEGATIVE_INFINITY;
  for (const [index, { posted_at: postedAt, state }] of updates.entries()) {
    const pointer = `/updates/${index}`;
    if (postedAt > nowMs) refuse(`${pointer}/posted_at`, 'in_future', 'must not be in the future');
    else if (postedAt <= before) refuse(`${pointer}/posted_at`, 'out_of_range', 'must be after the update before it');
    if (index === last && state !== 'resolved')
      refuse(`${pointer}/state`, 'out_of_range', 'must be resolved: an import brings incidents that are over');
    before = postedAt;
  }
  if (startedAt > before) refuse('/started_at', 'out_of_range', 'must not be after the last update');
  const characters = updates.reduce((sum, { body }) => sum + body.length, 0);
  if (characters > updateLimits.characters)
    refuse('/updates', 'too_long', `must have at most ${updateLimits.characters} characters in total`);
  return errors;
}
