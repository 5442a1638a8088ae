import { z } from 'zod';

const scalar = z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]);

/**
 * Operators on one property of an event. All but `not_exists` are false if the property is missing; types are never
 * converted.
 */
const operators = [
  'eq',
  'neq',
  'in',
  'not_in',
  'contains',
  'not_contains',
  'exists',
  'not_exists',
  'lt',
  'lte',
  'gt',
  'gte',
] as const;
export type Operator = (typeof operators)[number];

export const conditionSchema = z
  .object({
    prop: z.string().min(1).max(200),
    op: z.enum(operators),
    value: z.union([scalar, z.array(scalar).min(1).max(100)]).optional(),
  })
  .check(context => {
    const fault = valueFault(context.value.op, context.value.value);
    if (fault !== null)
      context.issues.push({
        code: 'custom',
        params: { code: 'type' },
        message: fault,
        path: ['value'],
        input: context.value.value,
      });
  });
export type Condition = z.output<typeof conditionSchema>;

function valueFault(op: Operator, value: unknown): string | null {
  switch (op) {
    case 'exists':
    case 'not_exists':
      return null;
    case 'in':
    case 'not_in':
      return Array.isArray(value) ? null : 'must be a list of values';
    case 'contains':
    case 'not_contains':
      return typeof value === 'string' && value !== '' ? null : 'must be a non-empty string';
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return typeof value === 'number' ? null : 'must be a number';
    case 'eq':
    case 'neq':
      return value === undefined || Array.isArray(value) ? 'must be a string, a number, true, false or null' : null;
    default:
      return op satisfies never;
  }
}
