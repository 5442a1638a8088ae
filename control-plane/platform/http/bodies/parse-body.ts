import { z } from 'zod';
import { errorsMax, type FieldError, Problem } from '../problem.ts';
import { cutLists } from './cut-lists.ts';
import { describeIssue } from './describe-issue.ts';
import { findForbiddenFields, pointerTo } from './unknown-fields.ts';

/** The fields of a body that are valid by themselves; undefined for those that are not. */
export type ValidFields<Body> = { readonly [Name in keyof Body]?: Body[Name] | undefined };

/** Errors that no field shows by itself: between fields, or against the database. */
export type CrossFieldErrors<Body> = (fields: ValidFields<Body>) => Promise<readonly FieldError[]>;

/**
 * Parses a JSON body. Throws `validation_failed` with every error at once, each at its JSON Pointer: of the schema, of
 * unknown and read-only fields, and of `check`, which runs for valid and invalid bodies alike.
 */
export async function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  check?: CrossFieldErrors<z.output<Schema>>,
): Promise<z.output<Schema>> {
  const value = cutLists(schema, body);
  const parsed = schema.safeParse(value, { reportInput: true });
  const fieldErrors = [
    ...(parsed.error?.issues ?? []).slice(0, errorsMax).map((issue): FieldError => {
      return { pointer: pointerTo(issue.path), ...describeIssue(issue, value) };
    }),
    ...findForbiddenFields(schema, value),
  ];
  const fields = parsed.success ? parsed.data : validFields(schema, value);
  const reported = new Set(fieldErrors.map(error => ('pointer' in error ? error.pointer : null)));
  const crossFieldErrors = check === undefined ? [] : await check(fields as ValidFields<z.output<Schema>>);
  const errors = [
    ...fieldErrors,
    ...crossFieldErrors.filter(error => !('pointer' in error) || !reported.has(error.pointer)),
  ];
  if (!parsed.success || errors.length > 0) throw new Problem('validation_failed', { errors });
  return parsed.data;
}

/** Undefined, not absent, for a field that is wrong: so no stored value takes its place in a check. */
function validFields(schema: z.ZodType, value: unknown): Record<string, unknown> {
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value))
    return {};
  return Object.fromEntries(
    Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]): [string, unknown][] => {
      const parsed = field.safeParse((value as Record<string, unknown>)[name]);
      if (!parsed.success) return [[name, undefined]];
      return parsed.data === undefined ? [] : [[name, parsed.data]];
    }),
  );
}
