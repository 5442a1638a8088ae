import test from 'ava';
import { allows } from '#control-plane/platform/http/endpoint/caller.ts';
import { scopesOf } from '#control-plane/platform/http/endpoint/endpoint.ts';
import { type Role, roles, scopesOfRole } from '#control-plane/platform/projects/roles.ts';
import { scopes } from '#control-plane/platform/projects/token.ts';
import { startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

/** The contract's table, written down a second time: by what is asked for, not by what is given. */
const rules: readonly [needed: RegExp, least: Role | null][] = [
  [/^agents:operate$|^audit:write$/, null],
  [/^(alerts|incidents|maintenances):write$|^events:read$/, 'responder'],
  [/^(monitors|components|status-pages|channels|routes|releases|flows|walls|events|secrets):write$/, 'editor'],
  [/^subscribers:|^audit:read$/, 'editor'],
  [/^(project|agents|members):write$|^(tokens|users):/, 'admin'],
  [/^(project|monitors|alerts|channels|routes|agents|incidents|status-pages|components):read$/, 'viewer'],
  [/^(releases|flows|maintenances|walls|members|secrets):read$/, 'viewer'],
];

test('each scope belongs to one role, and each role has what the lower ones have', t => {
  for (const scope of scopes.filter(scope => scope !== '*')) {
    const fitting = rules.filter(([needed]) => needed.test(scope));
    t.is(fitting.length, 1, `${scope} needs one rule`);
    const least = fitting[0]?.[1] ?? null;
    for (const [rank, role] of roles.entries())
      t.is(scopesOfRole(role).includes(scope), least !== null && rank >= roles.indexOf(least), `${role} ${scope}`);
  }
});

test('each operation of the API is open to the roles that the table says, and to no other', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  for (const endpoint of replica.endpoints)
    for (const [rank, role] of roles.entries()) {
      const needed = scopesOf(endpoint);
      const isOpen = needed.every(scope => {
        const least = rules.find(([pattern]) => pattern.test(scope))?.[1] ?? null;
        return least !== null && rank >= roles.indexOf(least);
      });
      const granted = scopesOfRole(role);
      t.is(
        needed.every(scope => allows(granted, scope)),
        isOpen,
        `${role}: ${endpoint.method} ${endpoint.path}`,
      );
    }
});
