import test from 'ava';
import { scopes } from '#control-plane/platform/projects/token.ts';
import {
  descendantsOf,
  describeScopes,
  levelsOf,
  presets,
  scopeResources,
  scopesOfLevels,
  tokenState,
  within,
} from '#control-plane/web/dashboard/app/features/settings/scopes.ts';
import { nowMs } from '../../samples.ts';

test('the scope picker offers every scope of the API but the operator’s, and no other', t => {
  const offered = scopeResources.flatMap(([resource]) =>
    levelsOf(resource).flatMap(level => scopesOfLevels({ [resource]: level })),
  );
  const known = scopes.filter(scope => scope !== '*' && scope !== 'agents:operate');
  t.deepEqual([...new Set(offered)].sort(), [...known].sort());
  for (const [name, , levels] of presets) t.true(scopesOfLevels(levels).length > 0, name);
});

test('a token gives no scope that it does not have, and a preset shrinks to what it has', t => {
  const operator = presets.find(([name]) => name === 'Operator')?.[2] ?? {};
  const readOnly = within(operator, scope => scope.endsWith(':read'));
  t.true(scopesOfLevels(readOnly).every(scope => scope.endsWith(':read')));
  t.deepEqual(scopesOfLevels(within({ events: 'write' }, scope => scope === 'events:write')), []);
  t.deepEqual(scopesOfLevels(within({ events: 'send' }, scope => scope === 'events:write')), ['events:write']);
  t.is(describeScopes(scopesOfLevels(presets[0]?.[2] ?? {})), 'read everything');
  t.is(describeScopes(['*']), 'everything');
  t.is(describeScopes(['flows:write']), 'flows:write');
});

test('a token is active until it is revoked or expires, and its descendants are found', t => {
  const past = new Date(nowMs - 1).toISOString();
  t.is(tokenState({ revoked_at: null, expires_at: null }, nowMs), 'active');
  t.is(tokenState({ revoked_at: null, expires_at: past }, nowMs), 'expired');
  t.is(tokenState({ revoked_at: past, expires_at: past }, nowMs), 'revoked');
  const tokens = [
    { id: 'a', created_by: null },
    { id: 'b', created_by: 'a' },
    { id: 'c', created_by: 'b' },
    { id: 'd', created_by: null },
  ];
  t.deepEqual(
    descendantsOf('a', tokens).map(({ id }) => id),
    ['b', 'c'],
  );
});
