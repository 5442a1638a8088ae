import test from 'ava';
import { validateToken } from '#control-plane/platform/projects/validate-token.ts';

const nowMs = Date.UTC(2026, 0, 1);

const cases: [what: string, scopes: string[] | undefined, expiresAt: number | null, own: string[], errors: string[]][] =
  [
    ['scopes of one’s own', ['monitors:read', 'project:write'], null, ['monitors:write', 'project:write'], []],
    ['a wider scope', ['monitors:write'], null, ['monitors:read'], ['/scopes/0 not_allowed']],
    ['every scope from some', ['monitors:read', '*'], null, ['monitors:read'], ['/scopes/1 not_allowed']],
    ['anything from every scope', ['*', 'flows:write'], null, ['*'], []],
    ['the operator’s scope from every scope', ['agents:operate'], null, ['*'], ['/scopes/0 not_allowed']],
    ['an expiry now', ['*'], nowMs, ['*'], ['/expires_at out_of_range']],
    ['an expiry a millisecond ahead', ['*'], nowMs + 1, ['*'], []],
    ['both', ['*'], nowMs - 1, ['flows:read'], ['/scopes/0 not_allowed', '/expires_at out_of_range']],
    ['scopes that are not valid by themselves', undefined, nowMs, ['*'], ['/expires_at out_of_range']],
  ];
for (const [what, scopes, expiresAt, own, expected] of cases)
  test(`a new token with ${what} has ${expected.length} errors`, t => {
    const errors = validateToken({ name: 'a', scopes, expires_at: expiresAt }, { scopes: own, expiresAt: null }, nowMs);
    t.deepEqual(
      errors.map(error => `${'pointer' in error ? error.pointer : ''} ${error.code}`),
      expected,
    );
  });

const makersMs = nowMs + 60_000;
const expiries: [what: string, expiresAt: number | null | undefined, errors: string[]][] = [
  ['no expiry given, which is the maker’s', undefined, []],
  ['its maker’s expiry', makersMs, []],
  ['an earlier expiry', makersMs - 1, []],
  ['a later expiry', makersMs + 1, ['/expires_at out_of_range']],
  ['no expiry at all', null, ['/expires_at out_of_range']],
];
for (const [what, expiresAt, expected] of expiries)
  test(`by a token that expires, a token with ${what}, has ${expected.length} errors`, t => {
    const errors = validateToken(
      { name: 'a', scopes: ['*'], expires_at: expiresAt },
      { scopes: ['*'], expiresAt: makersMs },
      nowMs,
    );
    t.deepEqual(
      errors.map(error => `${'pointer' in error ? error.pointer : ''} ${error.code}`),
      expected,
    );
  });
