import { z } from 'zod';
import { type Impact, impacts, incidentStates, type Severity, severities } from '#shared/vocabulary.ts';
import { readOnlyKey, refuseRepeats } from '../../platform/http/bodies/validate.ts';
import { timestampSchema } from '../../platform/http/endpoint/parameters.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { type Addressed, pageUrl } from '../status-pages/hosts/own-address.ts';

/** How far in the future an incident may start, since clocks differ. */
export const startAheadMaxMs = 300_000;

/** As many as a page can have: an outage may affect all of them. */
const componentsMax = 300;

const markdown = z
  .string()
  .max(25_000)
  .refine(text => text.trim() !== '', { params: { code: 'too_short' }, message: 'must not be blank' })
  .describe('Text in Markdown.');

export const incidentFields = {
  title: lineSchema(255),
  severity: z.enum(severities),
  impact: z.enum(impacts),
  affected_components: z.array(z.string().max(64)).max(componentsMax).superRefine(refuseRepeats),
  started_at: timestampSchema,
};

const readOnly = [
  'id',
  'project_id',
  'state',
  'updates',
  'alert_id',
  'imported_from',
  'url',
  'created_at',
  'updated_at',
];

export const updatePostSchema = z
  .object({ state: z.enum(incidentStates), body: markdown })
  .meta({ [readOnlyKey]: ['id', 'posted_at', 'edited_at'] });
export type UpdatePost = z.output<typeof updatePostSchema>;

export const updatePatchSchema = z
  .object({ body: markdown })
  .meta({ [readOnlyKey]: ['id', 'state', 'posted_at', 'edited_at'] });

export const resolvePostSchema = z.object({ body: markdown });

export const incidentPostSchema = z
  .object({
    ...incidentFields,
    status_page_id: z.string().max(64),
    impact: incidentFields.impact.nullable().default(null),
    affected_components: incidentFields.affected_components.default([]),
    started_at: incidentFields.started_at.nullable().default(null),
    resolved_at: timestampSchema
      .nullable()
      .default(null)
      .describe(
        'End of an incident that is already over. `initial_update` must have the state `resolved` and gets ' +
          'this time.',
      ),
    initial_update: updatePostSchema.nullable().default(null),
    notify: z
      .boolean()
      .default(true)
      .describe('False: subscribers, webhooks and feeds are not notified of the creation and of `initial_update`.'),
  })
  .meta({ [readOnlyKey]: [...readOnly, 'postmortem_url', 'postmortem_body'] });
export type IncidentPost = z.output<typeof incidentPostSchema>;

/** Of what an alert is promoted with; null takes what the preview shows. */
export const promotePostSchema = z.object({
  severity: incidentFields.severity.nullable().default(null),
  status_page_id: z.string().max(64).nullable().default(null),
  title: incidentFields.title.nullable().default(null),
  impact: incidentFields.impact.nullable().default(null),
  body: markdown
    .nullable()
    .default(null)
    .describe('Text of the first update in Markdown; null for the text of the preview.'),
});
export type PromotePost = z.output<typeof promotePostSchema>;

export const postmortemSchema = z
  .string()
  .min(1)
  .max(50_000)
  .nullable()
  .describe('Post-mortem in Markdown, shown on the incident’s page; null for none.');

const webAddress = z
  .string()
  .max(2048)
  .refine(text => /^https?:\/\//i.test(text) && URL.canParse(text), {
    params: { code: 'format' },
    message: 'must be an http or https URL',
  });

export const incidentPatchSchema = z
  .object({
    ...incidentFields,
    postmortem_url: webAddress.nullable(),
    postmortem_body: postmortemSchema,
  })
  .partial()
  .meta({ [readOnlyKey]: [...readOnly, 'resolved_at', 'status_page_id'] });
export type IncidentPatch = z.output<typeof incidentPatchSchema>;

const updateSchema = z
  .object({
    id: z.string(),
    state: z.enum(incidentStates),
    body: z.string(),
    posted_at: z.string(),
    edited_at: z.string().nullable(),
  })
  .meta({ title: 'IncidentUpdate' });

export const incidentSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    status_page_id: z.string(),
    alert_id: z.string().nullable(),
    title: z.string(),
    state: z.enum(incidentStates),
    severity: z.enum(severities),
    impact: z.enum(impacts),
    affected_components: z.array(z.string()),
    updates: z.array(updateSchema),
    started_at: z.string(),
    resolved_at: z.string().nullable(),
    postmortem_url: z.string().nullable(),
    postmortem_body: z.string().nullable(),
    imported_from: z.string().nullable(),
    url: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'Incident' });

/** The impact of an incident that is opened without one. */
export function impactOf(severity: Severity): Impact {
  switch (severity) {
    case 'p1':
      return 'major';
    case 'p2':
      return 'partial';
    case 'p3':
      return 'degraded';
    default:
      return severity satisfies never;
  }
}

/** The incident's public page; `baseUrl` has no slash at its end. */
export function incidentUrl(baseUrl: string, page: Addressed, id: string): string {
  return `${pageUrl(baseUrl, page)}/incidents/${id}`;
}
