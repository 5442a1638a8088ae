import test from 'ava';
import { can, isReadOnly } from '#control-plane/web/dashboard/app/session/session.ts';

test('a scope is granted by itself, by its write scope, or by the wildcard', t => {
  const cases: [string[], string, boolean][] = [
    [['*'], 'monitors:write', true],
    [['monitors:read'], 'monitors:read', true],
    [['monitors:write'], 'monitors:read', true],
    [['monitors:read'], 'monitors:write', false],
    [['alerts:write'], 'monitors:read', false],
    [[], 'monitors:read', false],
    [['events:write'], 'events:read', false],
    [['*'], 'agents:operate', false],
  ];
  for (const [scopes, scope, granted] of cases) t.is(can({ scopes }, scope), granted, `${scopes} ${scope}`);
});

test('a token is read-only unless a scope lets it write', t => {
  t.true(isReadOnly({ scopes: ['monitors:read', 'alerts:read'] }));
  t.false(isReadOnly({ scopes: ['monitors:read', 'alerts:write'] }));
  t.false(isReadOnly({ scopes: ['*'] }));
});
