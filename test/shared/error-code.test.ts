import test from 'ava';
import { errorCode } from '#shared/error-code.ts';

for (const [thrown, code] of [
  [Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'ECONNRESET'],
  [{ code: '23505' }, '23505'],
  [Object.assign(new Error('x'), { code: 7 }), null],
  [new Error('ECONNRESET'), null],
  ['ECONNRESET', null],
  [null, null],
  [undefined, null],
] as const)
  test(`the code of ${thrown instanceof Error ? thrown : JSON.stringify(thrown)} is ${code}`, t => {
    t.is(errorCode(thrown), code);
  });
