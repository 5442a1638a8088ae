import test from 'ava';
import { errorMessage } from '#shared/error-message.ts';

const refused = new Error('connect ECONNREFUSED ::1:5432');
const cases: readonly [error: unknown, message: string][] = [
  [new Error('one'), 'one'],
  [new Error('one\n  two\n'), 'one two'],
  [new TypeError(), 'TypeError'],
  [new AggregateError([refused, new Error('other')]), 'connect ECONNREFUSED ::1:5432'],
  [new AggregateError([], 'all failed'), 'all failed'],
  ['a string', 'a string'],
];
for (const [error, message] of cases) test(`"${message}" is on one line`, t => t.is(errorMessage(error), message));
