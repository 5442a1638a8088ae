import { z } from 'zod';

/** The schema without optional, nullable, default and the like; of a pipe, the part that a client fills. */
export function plainSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  )
    return plainSchema(schema.unwrap());
  if (schema instanceof z.ZodPipe) return plainSchema(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  return schema;
}

/** The variant that the discriminator of the value names, whether or not the rest of the value fits it. */
export function namedVariant(schema: z.ZodUnion, value: object): z.core.$ZodType | undefined {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return undefined;
  const { discriminator } = schema.def;
  return schema.options.map(plainSchema).find(variant => {
    const field = variant instanceof z.ZodObject ? variant.shape[discriminator] : undefined;
    return field !== undefined && z.safeParse(field, (value as Record<string, unknown>)[discriminator]).success;
  });
}
