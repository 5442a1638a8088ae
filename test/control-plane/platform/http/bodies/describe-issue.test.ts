import test from 'ava';
import { z } from 'zod';
import { describeIssue } from '#control-plane/platform/http/bodies/describe-issue.ts';

const custom = (code?: string) =>
  z.unknown().refine(() => false, { ...(code === undefined ? {} : { params: { code } }), message: 'is wrong' });

const cases: [what: string, schema: z.ZodType, value: unknown, expected: string][] = [
  ['a missing text', z.string(), undefined, 'required: is required'],
  ['a missing choice', z.enum(['a', 'b']), undefined, 'required: is required'],
  ['another type', z.string(), 5, 'type: must be a string'],
  ['null where none is due', z.array(z.string()), null, 'type: must be an array'],
  ['a fraction', z.int(), 1.5, 'type: must be a whole number'],
  ['another choice', z.enum(['a', 'b']), 'c', 'enum: must be one of a, b'],
  ['an empty text', z.string().min(1), '', 'too_short: must not be empty'],
  ['a short text', z.string().min(3), 'ab', 'too_short: must have at least 3 characters'],
  ['a long text', z.string().max(3), 'abcd', 'too_long: must have at most 3 characters'],
  ['a long list', z.array(z.int()).max(1), [1, 2], 'too_long: must have at most 1 items'],
  ['a small number', z.int().min(10), 9, 'out_of_range: must be at least 10'],
  ['a large number', z.int().max(10), 11, 'out_of_range: must be at most 10'],
  ['a number on an open end', z.number().positive(), 0, 'out_of_range: must be more than 0'],
  ['a pattern with a sentence', z.string().regex(/^a$/, 'must be a'), 'b', 'format: must be a'],
  ['a pattern without one', z.string().regex(/^a$/), 'b', 'format: has an invalid format'],
  ['a rule with a code', custom('unknown_reference'), 1, 'unknown_reference: is wrong'],
  ['a rule without a code', custom(), 1, 'format: is wrong'],
  ['a rule with an unknown code', custom('strange'), 1, 'format: is wrong'],
  ['a missing value that a rule refuses', custom('type'), undefined, 'required: is required'],
  ['an unknown parameter', z.strictObject({}), { a: 1 }, 'not_allowed: is not a known parameter'],
  [
    'a variant that is not known',
    z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.enum(['b', 'c']) })]),
    { type: 'd' },
    'enum: must be one of a, b, c',
  ],
  ['a value of no variant', z.union([z.string(), z.int()]), true, 'type: must be a string'],
];
for (const [what, schema, value, expected] of cases)
  test(`${what}: ${expected}`, t => {
    const [issue] = schema.safeParse(value, { reportInput: true }).error?.issues ?? [];
    if (issue === undefined) return t.fail('the value is accepted');
    const { code, detail } = describeIssue(issue, value);
    t.is(`${code}: ${detail}`, expected);
  });
