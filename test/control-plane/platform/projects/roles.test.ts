import test from 'ava';
import { roles, scopesOfRole } from '#control-plane/platform/projects/roles.ts';
import { scopes } from '#control-plane/platform/projects/token.ts';
import { leastRoles } from '#test/support/role-table.ts';

test('each scope belongs to one role, and each role has what the lower ones have', t => {
  for (const scope of scopes.filter(scope => scope !== '*')) {
    const fitting = leastRoles.filter(([needed]) => needed.test(scope));
    t.is(fitting.length, 1, `${scope} needs one rule`);
    const least = fitting[0]?.[1] ?? null;
    for (const [rank, role] of roles.entries())
      t.is(scopesOfRole(role).includes(scope), least !== null && rank >= roles.indexOf(least), `${role} ${scope}`);
  }
});
