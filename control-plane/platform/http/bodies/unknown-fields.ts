import { z } from 'zod';
import { errorsMax, type FieldError } from '../problem.ts';
import { nearestName } from './nearest-name.ts';
import { namedVariant, plainSchema } from './plain-schema.ts';
import { readOnlyKey } from './validate.ts';

type Path = readonly (string | number)[];

/**
 * Fields that an object schema does not know (`not_allowed`) or that clients cannot set (`read_only`), at every depth.
 * Free-form objects (records) may have any field. Stops at the maximum of errors in one response.
 */
export function findForbiddenFields(schema: z.ZodType, value: unknown): FieldError[] {
  const errors: FieldError[] = [];
  visit(schema, value, [], errors);
  return errors;
}

/** The JSON Pointer (RFC 6901) of a path. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function visit(schema: z.core.$ZodType, value: unknown, path: Path, errors: FieldError[]): void {
  if (errors.length >= errorsMax || typeof value !== 'object' || value === null) return;
  const inner = unwrap(schema, value);
  if (Array.isArray(value)) {
    if (!(inner instanceof z.ZodArray)) return;
    for (const [index, item] of value.entries()) visit(inner.element, item, [...path, index], errors);
  } else if (inner instanceof z.ZodObject) visitObject(inner, value as Record<string, unknown>, path, errors);
}

function visitObject(schema: z.ZodObject, value: Record<string, unknown>, path: Path, errors: FieldError[]): void {
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  const readOnly = (schema.meta()?.[readOnlyKey] ?? []) as readonly string[];
  for (const name of Object.keys(value)) {
    if (errors.length >= errorsMax) return;
    const pointer = pointerTo([...path, name]);
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field !== undefined) visit(field, value[name], [...path, name], errors);
    else if (readOnly.includes(name)) errors.push({ pointer, code: 'read_only', detail: 'is read-only' });
    else errors.push({ pointer, code: 'not_allowed', detail: unknownField(name, Object.keys(shape)) });
  }
}

function unknownField(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === null ? 'unknown field' : `unknown field; did you mean \`${nearest}\`?`;
}

/** The object or array schema that applies to the value, without optional, nullable, default and the like. */
function unwrap(schema: z.core.$ZodType, value: object): z.core.$ZodType {
  const plain = plainSchema(schema);
  return plain instanceof z.ZodUnion ? unwrapUnion(plain, value) : plain;
}

/** The variant that accepts the value, or else that of its `type`: a wrong field must not hide an unknown one. */
function unwrapUnion(schema: z.ZodUnion, value: object): z.core.$ZodType {
  const variants = schema.options.map(option => unwrap(option, value));
  const accepting = variants.find(variant => z.safeParse(variant, value).success);
  return accepting ?? namedVariant(schema, value) ?? schema;
}
