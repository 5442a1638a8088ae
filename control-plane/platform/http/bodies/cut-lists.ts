import { z } from 'zod';
import { namedVariant, plainSchema } from './plain-schema.ts';

/**
 * The value with each list that has more items than its schema takes cut to one more than that: it is refused all the
 * same, as too long, and nobody pays for checking the rest. The value itself if there is no such list.
 */
export function cutLists(schema: z.core.$ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const inner = applying(schema, value);
  if (Array.isArray(value)) return inner instanceof z.ZodArray ? cutList(inner, value) : value;
  return inner instanceof z.ZodObject ? cutFields(inner.shape, value as Record<string, unknown>) : value;
}

function cutList(schema: z.ZodArray, list: readonly unknown[]): readonly unknown[] {
  const maximum = maximumOf(schema);
  const kept = list.length > maximum ? list.slice(0, maximum + 1) : list;
  const items = kept.map(item => cutLists(schema.element, item));
  return items.every((item, index) => item === kept[index]) ? kept : items;
}

function maximumOf(schema: z.ZodArray): number {
  const definitions = (schema._zod.def.checks ?? []).map(check => check._zod.def);
  const maxima = definitions.flatMap(definition =>
    definition.check === 'max_length' ? (definition as z.core.$ZodCheckMaxLengthDef).maximum : [],
  );
  return Math.min(...maxima);
}

function cutFields(shape: Readonly<Record<string, z.core.$ZodType>>, fields: Record<string, unknown>) {
  const cut = Object.entries(shape).flatMap(([name, schema]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const kept = cutLists(schema, field);
    return kept === field ? [] : [[name, kept] as const];
  });
  return cut.length === 0 ? fields : { ...fields, ...Object.fromEntries(cut) };
}

/** What applies to the value. A union that does not say which of its variants that is stays a union. */
function applying(schema: z.core.$ZodType, value: object): z.core.$ZodType {
  const plain = plainSchema(schema);
  if (!(plain instanceof z.ZodUnion)) return plain;
  if (!Array.isArray(value)) return namedVariant(plain, value) ?? plain;
  const lists = plain.options.map(plainSchema).filter(option => option instanceof z.ZodArray);
  return lists.length === 1 ? (lists[0] ?? plain) : plain;
}
