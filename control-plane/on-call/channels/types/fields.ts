import { z } from 'zod';
import { webhookUrlSchema } from '../../../publishing/subscribers/address.ts';

/** What the API shows instead of a secret; sent back, it keeps the stored one. */
export const mask = '********';

/** What is known of a field beside its schema: how forms show it, and whether it is secret. */
export type FieldMeta = {
  label: string;
  hint?: string;
  placeholder?: string;
  /** What a new form begins with, where the schema has no default. */
  initial?: string;
  /** Typed on several lines. */
  isLong?: true;
  /** Of an enumeration: what each value is called. */
  choices?: Readonly<Record<string, string>>;
  /** Never shown once it is stored; of a record, each value. */
  isSecret?: true;
  /** A URL that the channel calls, or below which it does: stored secrets do not follow to another server. */
  isAddress?: true;
};

const fields = z.registry<FieldMeta>();

/** A field of a configuration with what is known of it. */
export function field<Schema extends z.ZodType>(schema: Schema, meta: FieldMeta): Schema {
  fields.add(schema, meta);
  return schema;
}

/** Throws if the schema is not a `field`. */
export function metaOf(schema: z.ZodType): FieldMeta {
  const meta = fields.get(schema);
  if (meta === undefined) throw new Error('a field of a configuration has no label');
  return meta;
}

/** What a secret's own schema accepts, or the mask. */
export function maskable<Schema extends z.ZodType>(schema: Schema) {
  return schema.or(z.literal(mask));
}

/** Printable ASCII without blanks, or the mask. */
export function token(min = 8, max = 500) {
  return maskable(
    z
      .string()
      .min(min)
      .max(max)
      .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without blanks'),
  );
}

/** A URL that is a secret as a whole, as those of incoming webhooks are. */
export function secretUrl(meta: Omit<FieldMeta, 'isSecret' | 'isAddress'>, description?: string) {
  const schema = maskable(webhookUrlSchema);
  const described = description === undefined ? schema : schema.describe(description);
  return field(described, { ...meta, isSecret: true, isAddress: true });
}

/** A server that a customer runs or has an account on; `urlBelow` names what is called there. */
export function serverField(meta: Omit<FieldMeta, 'isAddress'>, description: string) {
  return field(webhookUrlSchema.describe(description), { ...meta, isAddress: true });
}

/** A path below a server's URL, which may have a path itself. */
export function urlBelow(server: string, path: string): string {
  const base = new URL(server);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return new URL(path, base).href;
}
