import { z } from 'zod';
import { type Json, jsonPathLengthMax } from './json-path.ts';
import {
  addressesSchema,
  dnsAgreeSchema,
  dnsChangedSchema,
  dnsRcodeSchema,
  dnsRecordSchema,
  grpcStatusSchema,
  httpVersionSchema,
  jitterSchema,
  latencySchema,
  ofValues,
  onFailField,
  packetLossSchema,
  setSizeMax,
  takesSet,
  tlsVersionSchema,
} from './of-kinds.ts';
import { patternLengthMax } from './text-pattern.ts';

const numberOperators = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte'] as const;
const setOperators = ['in', 'not_in'] as const;
const textLengthMax = 8192;
// Values validated here come from JSON.parse, so every value is JSON.
const json = z.unknown() as z.ZodType<Json>;

const status = z
  .object({
    type: z.literal('status'),
    operator: z.enum([...numberOperators, ...setOperators]),
    value: json.describe('Number; for `in` and `not_in` an array of numbers and ranges such as `"200-299"`.'),
    ...onFailField,
  })
  .superRefine((assertion, context) => {
    if (assertion.operator === 'in' || assertion.operator === 'not_in') checkStatusSet(assertion.value, context);
    else if (!isStatusCode(assertion.value))
      refuse(
        context,
        ['value'],
        typeof assertion.value === 'number' ? 'out_of_range' : 'type',
        'a status code from 100 to 599',
      );
  });

const bodyContains = z
  .object({
    type: z.literal('body_contains'),
    operator: z.enum(['contains', 'not_contains', 'matches', 'not_matches']).default('contains'),
    value: z.string().min(1).max(textLengthMax),
    case_insensitive: z.boolean().default(false),
    ...onFailField,
  })
  .superRefine(({ operator, value, case_insensitive }, context) => {
    if (!isPatternOperator(operator)) return;
    if (value.length > patternLengthMax)
      refuse(context, ['value'], 'too_long', `at most ${patternLengthMax} characters`);
    if (case_insensitive) refuse(context, ['case_insensitive'], 'not_allowed', 'false: begin the pattern with (?i)');
  });

const header = z
  .object({
    type: z.literal('header'),
    name: z
      .string()
      .min(1)
      .max(256)
      .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/),
    operator: z.enum([
      'eq',
      'neq',
      'contains',
      'not_contains',
      'exists',
      'not_exists',
      'matches',
      'not_matches',
      ...setOperators,
    ]),
    value: json
      .optional()
      .describe('Text; for `in` and `not_in` an array of texts; omitted for `exists` and `not_exists`.'),
    ...onFailField,
  })
  .superRefine((assertion, context) => checkTextOperand(assertion.operator, assertion.value, context));

const jsonPath = z
  .object({
    type: z.literal('json_path'),
    path: z.string().min(1).max(jsonPathLengthMax).describe('JSONPath query of RFC 9535.'),
    operator: z.enum([
      ...numberOperators,
      'contains',
      'not_contains',
      'exists',
      'not_exists',
      ...setOperators,
      'matches',
    ]),
    value: json.optional().describe('Any JSON; omitted for `exists` and `not_exists`.'),
    ...onFailField,
  })
  .superRefine((assertion, context) => checkJsonOperand(assertion.operator, assertion.value, context));

const latencyP95 = z.object({
  type: z.literal('latency_p95'),
  operator: z.enum(['lt', 'lte']),
  value_ms: z.number().positive().max(600_000),
  window_minutes: z.int().min(1).max(1440).default(10),
});

/** A condition on a response, checked in form only: `expressions.ts` checks its pattern or query as well. */
export const assertionSchema = z
  .discriminatedUnion('type', [
    status,
    bodyContains,
    header,
    jsonPath,
    latencyP95,
    latencySchema,
    httpVersionSchema.superRefine(checkSetOperand),
    tlsVersionSchema.superRefine(checkSetOperand),
    dnsRcodeSchema.superRefine(checkSetOperand),
    dnsRecordSchema.superRefine(checkRecordOperand),
    dnsAgreeSchema,
    dnsChangedSchema,
    packetLossSchema,
    jitterSchema,
    grpcStatusSchema.superRefine(checkSetOperand),
    addressesSchema,
    ...ofValues,
  ])
  .meta({ title: 'Assertion' });
export type Assertion = z.infer<typeof assertionSchema>;

/** Whether it says that its failure makes its check a warning, not an error. */
export function onlyWarns(assertion: Assertion): boolean {
  if (assertion.type === 'dns_changed') return assertion.on_fail !== 'err';
  return 'on_fail' in assertion && assertion.on_fail === 'warn';
}

/** Most assertions of one monitor. */
export const assertionsMax = 50;

/** Parses a range such as "200-299" of an `in` or `not_in` status assertion; null if malformed. */
export function parseStatusRange(text: string): { first: number; last: number } | null {
  const match = /^([1-9]\d\d)-([1-9]\d\d)$/.exec(text);
  const [first, last] = [Number(match?.[1]), Number(match?.[2])];
  return match !== null && first <= last ? { first, last } : null;
}

/** Up to 999, as in stored assertions: `expressions.ts` refuses in new ones what no response has. */
function isStatusCode(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 999;
}

function checkStatusSet(value: Json, context: z.RefinementCtx): void {
  if (!Array.isArray(value))
    return refuse(context, ['value'], 'type', 'an array of status codes and ranges such as "200-299"');
  if (!checkSize(value, context)) return;
  for (const [index, item] of value.entries()) {
    if (isStatusCode(item) || (typeof item === 'string' && parseStatusRange(item) !== null)) continue;
    const code = typeof item === 'string' ? 'format' : typeof item === 'number' ? 'out_of_range' : 'type';
    refuse(context, ['value', index], code, 'a status code or a range such as "200-299"');
  }
}

function checkTextOperand(operator: string, value: Json | undefined, context: z.RefinementCtx): void {
  if (operator === 'exists' || operator === 'not_exists') return checkNoOperand(value, context);
  if (value === undefined) return refuse(context, ['value'], 'required', 'given with this operator');
  if (operator === 'in' || operator === 'not_in') return checkTextSet(value, context);
  if (typeof value !== 'string') return refuse(context, ['value'], 'type', 'a string');
  checkText(operator, value, context);
}

function checkTextSet(value: Json, context: z.RefinementCtx): void {
  if (!Array.isArray(value)) return refuse(context, ['value'], 'type', 'an array of strings');
  if (!checkSize(value, context)) return;
  for (const [index, item] of value.entries()) {
    if (typeof item !== 'string') refuse(context, ['value', index], 'type', 'a string');
    else if (item.length > textLengthMax)
      refuse(context, ['value', index], 'too_long', `at most ${textLengthMax} characters`);
  }
}

function checkSetOperand({ operator, value }: { operator: string; value: unknown }, context: z.RefinementCtx): void {
  if (takesSet(operator) === Array.isArray(value)) return;
  refuse(context, ['value'], 'type', takesSet(operator) ? 'an array of texts' : 'a string');
}

function checkRecordOperand(assertion: { operator: string; value: string | string[] }, context: z.RefinementCtx): void {
  const { operator, value } = assertion;
  checkSetOperand(assertion, context);
  if (isPatternOperator(operator) && value.length > patternLengthMax)
    refuse(context, ['value'], 'too_long', `at most ${patternLengthMax} characters`);
}

/** True if the value is a regular expression. */
export function isPatternOperator(operator: unknown): boolean {
  return operator === 'matches' || operator === 'not_matches';
}

function checkText(operator: string, value: string, context: z.RefinementCtx): void {
  const max = isPatternOperator(operator) ? patternLengthMax : textLengthMax;
  if (value.length > max) return refuse(context, ['value'], 'too_long', `at most ${max} characters`);
  if ((operator === 'contains' || operator === 'not_contains') && value === '')
    refuse(context, ['value'], 'too_short', 'at least one character');
}

function checkJsonOperand(operator: string, value: Json | undefined, context: z.RefinementCtx): void {
  if (operator === 'exists' || operator === 'not_exists') return checkNoOperand(value, context);
  if (value === undefined) return refuse(context, ['value'], 'required', 'given with this operator');
  if (JSON.stringify(value).length > textLengthMax)
    return refuse(context, ['value'], 'too_long', `at most ${textLengthMax} characters of JSON`);
  switch (operator) {
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      if (typeof value !== 'number' && typeof value !== 'string')
        refuse(context, ['value'], 'type', 'a number or a string');
      return;
    case 'in':
    case 'not_in':
      if (!Array.isArray(value)) refuse(context, ['value'], 'type', 'an array');
      else checkSize(value, context);
      return;
    case 'matches':
      if (typeof value !== 'string') refuse(context, ['value'], 'type', 'a string');
      else checkText(operator, value, context);
      return;
  }
}

function checkNoOperand(value: Json | undefined, context: z.RefinementCtx): void {
  if (value !== undefined) refuse(context, ['value'], 'not_allowed', 'left out with this operator');
}

function checkSize(items: readonly Json[], context: z.RefinementCtx): boolean {
  if (items.length >= 1 && items.length <= setSizeMax) return true;
  refuse(context, ['value'], items.length === 0 ? 'too_short' : 'too_long', `1 to ${setSizeMax} items`);
  return false;
}

/** Adds a validation error; `code` is one of the API's field error codes. */
export function refuse(context: z.RefinementCtx, path: (string | number)[], code: string, must: string): void {
  context.addIssue({ code: 'custom', path, params: { code }, message: `must be ${must}` });
}
