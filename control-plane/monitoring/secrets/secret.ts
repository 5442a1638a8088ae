import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { Fields } from '../../platform/audit/entry.ts';
import { sealed } from '../../platform/audit/sealed.ts';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { bytesAtMost } from '../../platform/http/bytes-at-most.ts';
import { hiddenValue } from '../monitors/secrets/hidden.ts';
import { hostsSchema } from '../monitors/secrets/host-patterns.ts';

const [valueLengthMin, valueBytesMax] = [8, 8192];
const descriptionBytesMax = 500;

const readOnly = [
  'id',
  'project_id',
  'key',
  'managed_by',
  'version',
  'rotated_at',
  'used_by',
  'used_by_count',
  'created_at',
  'updated_at',
];

export const secretNamePattern = /^[A-Z][A-Z0-9_]{0,63}$/;

const name = z
  .string()
  .regex(secretNamePattern, 'must be capital letters, digits and underscores, and begin with a letter')
  .describe('Name by which monitors refer to the secret, as `{{secret.NAME}}`.');

/** Agents look for pieces of a value in answers: what is shorter would be found everywhere. */
const value = bytesAtMost(valueBytesMax)
  .min(valueLengthMin)
  .refine(text => !text.includes('\0') && text.isWellFormed(), {
    params: { code: 'format' },
    message: 'must not contain U+0000 or half of a surrogate pair',
  })
  .describe('The value; always shown as `"********"`, which keeps the stored one when it is sent back.');

const description = bytesAtMost(descriptionBytesMax)
  .refine(text => !text.includes('\0') && text.isWellFormed(), {
    params: { code: 'format' },
    message: 'must not contain U+0000 or half of a surrogate pair',
  })
  .describe('What the secret is for.');

const hosts = hostsSchema.describe(
  'Hosts that the value may be sent to, such as `api.example.com` or `*.example.com`; null for all.',
);

/** Body of POST. */
export const secretPostSchema = z
  .object({
    name,
    value: value.refine(text => text !== hiddenValue, {
      params: { code: 'not_allowed' },
      message: 'has no stored value to keep',
    }),
    description: description.default(''),
    hosts: hosts.default(null),
  })
  .meta({ [readOnlyKey]: readOnly });
export type SecretPost = z.output<typeof secretPostSchema>;

/** Body of PATCH: only the fields to change. */
export const secretPatchSchema = z
  .object({ value, description, hosts })
  .partial()
  .meta({ [readOnlyKey]: [...readOnly, 'name'] });
export type SecretPatch = z.output<typeof secretPatchSchema>;

export const secretSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.string(),
    managed_by: z.string().nullable(),
    name,
    value: z.string().describe('Always `"********"`.'),
    description,
    hosts: z.array(z.string()).nullable().describe('Hosts that the value may be sent to; null for all.'),
    version: z.int().describe('Number of the value, from 1; each rotation adds 1.'),
    rotated_at: z.string().describe('Time when the value was last set.'),
    used_by_count: z.int().describe('Number of monitors that name the secret.'),
    used_by: z
      .array(z.object({ monitor_id: z.string(), name: z.string() }))
      .optional()
      .describe('Monitors that name the secret, by name; left out in lists.'),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'Secret' });

/** A monitor that names a secret. */
export type SecretUse = { monitor_id: string; name: string };

/** A row of `secrets`, with the number of monitors that name it. Instants in milliseconds. */
export type SecretRow = {
  id: string;
  project_id: string;
  name: string;
  description: string;
  hosts: string[] | null;
  sealed_value: Buffer;
  version: number;
  rotated_at: number;
  created_at: number;
  updated_at: number;
  used_by_count: number;
};

export function viewSecret(row: SecretRow, uses?: readonly SecretUse[]): z.infer<typeof secretSchema> {
  return {
    id: row.id,
    project_id: row.project_id,
    key: row.name,
    managed_by: null,
    name: row.name,
    value: hiddenValue,
    description: row.description,
    hosts: row.hosts,
    version: row.version,
    rotated_at: toTimestamp(row.rotated_at),
    used_by_count: row.used_by_count,
    ...(uses === undefined ? {} : { used_by: [...uses] }),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

/** A secret for the audit, its value as a keyed hash. */
export function auditSecret(
  { name, description, hosts, version }: Pick<SecretRow, 'name' | 'description' | 'hosts' | 'version'>,
  value: string,
): Fields {
  return { name, value: sealed(value), description, hosts, version };
}
