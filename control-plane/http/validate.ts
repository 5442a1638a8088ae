import { z } from 'zod';
import { type FieldCode, type FieldError, fieldCodes, Problem } from './problem.ts';

/** Key of a body schema's `meta` that lists the fields a client may read but not set. */
export const readOnlyKey = 'x-read-only';

/**
 * Faults that a single field does not show: between fields, or against the database. Gets the fields that are right by
 * themselves, and undefined for those that are wrong.
 */
export type FurtherFaults = (valid: Readonly<Record<string, unknown>>) => Promise<readonly FieldError[]>;

/**
 * Parses a JSON body; throws `validation_failed` with every fault at once, each with its JSON Pointer. Unknown fields are
 * ignored; those that exist but cannot be set are faults.
 */
export async function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  further?: FurtherFaults,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(value, { reportInput: true });
  const readOnly = readOnlyFaults(schema, value);
  if (parsed.success && readOnly.length === 0) return parsed.data;
  const issues = parsed.success ? [] : parsed.error.issues;
  const own = issues.map((issue): FieldError => ({ pointer: pointerOf(issue.path), ...describe(issue, value) }));
  const told = new Set(own.map(error => ('pointer' in error ? error.pointer : '')));
  const more = further === undefined ? [] : await further(validFields(schema, value));
  const errors = [...own, ...readOnly, ...more.filter(error => !('pointer' in error) || !told.has(error.pointer))];
  throw new Problem('validation_failed', { errors });
}

function readOnlyFaults(schema: z.ZodType, value: unknown): FieldError[] {
  const names = (schema.meta()?.[readOnlyKey] ?? []) as readonly string[];
  if (typeof value !== 'object' || value === null) return [];
  return names
    .filter(name => Object.hasOwn(value, name))
    .map(name => ({ pointer: `/${name}`, code: 'read_only', detail: 'cannot be set by a client' }));
}

/** The fields of an object that are right by themselves; undefined for those that are not, so that no stored value stands in. */
function validFields(schema: z.ZodType, value: unknown): Record<string, unknown> {
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]): [string, unknown][] => {
      const parsed = field.safeParse((value as Record<string, unknown>)[name]);
      if (!parsed.success) return [[name, undefined]];
      return parsed.data === undefined ? [] : [[name, parsed.data]];
    }),
  );
}

/** Marks each item of an array of texts that stands there twice. */
export function refuseRepeats(items: readonly string[], context: z.RefinementCtx): void {
  for (const [index, item] of items.entries()) {
    if (items.indexOf(item) < index)
      context.addIssue({ code: 'custom', path: [index], params: { code: 'not_allowed' }, message: 'is given twice' });
  }
}

/** Parses query or path values; throws `invalid_parameter`. */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap(issue => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0] ?? '')];
    return names.map(parameter => ({ parameter, ...describe(issue, value) }));
  });
  throw new Problem('invalid_parameter', {
    detail: errors
      .map(error => `${error.parameter} ${error.detail}`)
      .join('; ')
      .slice(0, 500),
    errors,
  });
}

function describe(issue: z.core.$ZodIssue, root: unknown): { code: FieldCode; detail: string } {
  const missing = valueAt(root, issue.path) === undefined;
  switch (issue.code) {
    case 'invalid_type':
      return missing
        ? { code: 'required', detail: 'is required' }
        : { code: 'type', detail: `must be ${article(issue.expected)}` };
    case 'invalid_value':
      return missing
        ? { code: 'required', detail: 'is required' }
        : { code: 'enum', detail: `must be one of ${issue.values.map(String).join(', ')}` };
    case 'invalid_union':
      return missing ? { code: 'required', detail: 'is required' } : describeUnion(issue, root);
    case 'too_small':
      return isSize(issue.origin)
        ? {
            code: 'too_short',
            detail:
              issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} ${unitOf(issue.origin)}`,
          }
        : {
            code: 'out_of_range',
            detail: `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`,
          };
    case 'too_big':
      return isSize(issue.origin)
        ? { code: 'too_long', detail: `must have at most ${issue.maximum} ${unitOf(issue.origin)}` }
        : {
            code: 'out_of_range',
            detail: `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`,
          };
    case 'unrecognized_keys':
      return { code: 'not_allowed', detail: 'is not known here' };
    case 'custom':
      return describeCustom(issue, missing);
    default:
      return {
        code: 'format',
        detail: issue.message.startsWith('must') ? issue.message : 'does not have the form it must have',
      };
  }
}

function describeUnion(issue: z.core.$ZodIssueInvalidUnion, root: unknown): { code: FieldCode; detail: string } {
  const named = (issue as { discriminator?: string }).discriminator !== undefined;
  const first = issue.errors.flat()[0];
  if (named || first === undefined) return { code: 'enum', detail: 'is not one of the known types' };
  return describe({ ...first, path: issue.path } as z.core.$ZodIssue, root);
}

function describeCustom(issue: z.core.$ZodIssueCustom, missing: boolean): { code: FieldCode; detail: string } {
  const wanted = issue.params?.code;
  const code = fieldCodes.find(candidate => candidate === wanted) ?? 'format';
  return missing && code === 'type' ? { code: 'required', detail: 'is required' } : { code, detail: issue.message };
}

function isSize(origin: string): boolean {
  return ['string', 'array', 'set', 'map', 'object', 'file'].includes(origin);
}

function unitOf(origin: string): string {
  return origin === 'string' ? 'characters' : 'items';
}

function article(expected: string): string {
  if (expected === 'int') return 'a whole number';
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
