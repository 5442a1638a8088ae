import type { z } from 'zod';
import { type FieldCode, fieldCodes } from '../problem.ts';

type Description = { code: FieldCode; detail: string };

const required: Description = { code: 'required', detail: 'is required' };

/** Code and sentence of a field error, for one issue that Zod found in `root`. */
export function describeIssue(issue: z.core.$ZodIssue, root: unknown): Description {
  const isMissing = valueAt(root, issue.path) === undefined;
  switch (issue.code) {
    case 'invalid_type':
      return isMissing ? required : { code: 'type', detail: `must be ${article(issue.expected)}` };
    case 'invalid_value':
      return isMissing ? required : oneOf(issue.values);
    case 'invalid_union':
      return isMissing ? required : describeUnion(issue, root);
    case 'too_small':
      return describeTooSmall(issue);
    case 'too_big':
      return describeTooBig(issue);
    case 'unrecognized_keys':
      return { code: 'not_allowed', detail: 'is not a known parameter' };
    case 'custom':
      return describeCustom(issue, isMissing);
    default:
      return { code: 'format', detail: issue.message.startsWith('must') ? issue.message : 'has an invalid format' };
  }
}

function describeTooSmall({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): Description {
  if (!isSize(origin))
    return { code: 'out_of_range', detail: `must be ${inclusive === false ? 'more than' : 'at least'} ${minimum}` };
  const detail = minimum === 1 ? 'must not be empty' : `must have at least ${minimum} ${unitOf(origin)}`;
  return { code: 'too_short', detail };
}

function describeTooBig({ origin, maximum, inclusive }: z.core.$ZodIssueTooBig): Description {
  if (isSize(origin)) return { code: 'too_long', detail: `must have at most ${maximum} ${unitOf(origin)}` };
  return { code: 'out_of_range', detail: `must be ${inclusive === false ? 'less than' : 'at most'} ${maximum}` };
}

function describeUnion(issue: z.core.$ZodIssueInvalidUnion, root: unknown): Description {
  if ('options' in issue && issue.options !== undefined) return oneOf(issue.options);
  const first = issue.errors.flat()[0];
  if (first === undefined) return { code: 'enum', detail: 'must be one of the documented types' };
  return describeIssue({ ...first, path: issue.path } as z.core.$ZodIssue, root);
}

function oneOf(choices: readonly unknown[]): Description {
  return { code: 'enum', detail: `must be one of ${choices.map(String).join(', ')}` };
}

/** A refinement names its code in `params`; without one it is about the format. */
function describeCustom(issue: z.core.$ZodIssueCustom, isMissing: boolean): Description {
  const code = fieldCodes.find(candidate => candidate === issue.params?.code) ?? 'format';
  return isMissing && code === 'type' ? required : { code, detail: issue.message };
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
