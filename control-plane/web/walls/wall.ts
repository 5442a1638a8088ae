import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { Fields } from '../../platform/audit/entry.ts';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { selectorField } from '../../platform/selectors/schema.ts';

const readOnly = ['id', 'project_id', 'key', 'managed_by', 'last_seen_at', 'created_at', 'updated_at', 'url'];

/** Body of POST. A wall cannot be changed: whoever has the link would see something else than was agreed. */
export const wallPostSchema = z
  .object({
    name: lineSchema(100).describe('Where the screen hangs. The screen shows it.'),
    selector: selectorField
      .nullable()
      .default(null)
      .describe('Label selector for the monitors that the screen shows; null for all.'),
  })
  .meta({ [readOnlyKey]: readOnly });
export type WallPost = z.output<typeof wallPostSchema>;

export const wallSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.string().nullable(),
    managed_by: z.string().nullable(),
    name: z.string(),
    selector: z.string().nullable(),
    last_seen_at: z
      .string()
      .nullable()
      .describe('Time when a screen last read the link, to the minute; null if none has.'),
    created_at: z.string(),
    updated_at: z.string(),
    url: z.string().optional().describe('The link, which holds the secret. Returned only when it is created.'),
  })
  .meta({ title: 'Wall' });

/** A row of `walls`, without the hash of its secret. Instants in milliseconds. */
export type WallRow = {
  id: string;
  project_id: string;
  name: string;
  selector: string | null;
  last_seen_at: number | null;
  created_at: number;
};

export function viewWall(row: WallRow): z.infer<typeof wallSchema> {
  const created = toTimestamp(row.created_at);
  return {
    id: row.id,
    project_id: row.project_id,
    key: null,
    managed_by: null,
    name: row.name,
    selector: row.selector,
    last_seen_at: row.last_seen_at === null ? null : toTimestamp(row.last_seen_at),
    created_at: created,
    updated_at: created,
  };
}

/** The address of a screen. The secret is behind the `#`: no server, proxy or log sees it. */
export function wallUrl(baseUrl: string, secret: string): string {
  return `${baseUrl}/wall#${secret}`;
}

/** A wall for the audit. */
export function auditWall({ name, selector }: Pick<WallRow, 'name' | 'selector'>): Fields {
  return { name, selector };
}
