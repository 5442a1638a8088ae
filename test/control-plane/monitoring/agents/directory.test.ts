import { randomUUID } from 'node:crypto';
import test from 'ava';
import pg from 'pg';
import { openAgentDirectory } from '#control-plane/monitoring/agents/directory.ts';
import { findSession } from '#control-plane/monitoring/agents/directory-store.ts';
import { enrollAgent } from '#control-plane/monitoring/agents/enroll.ts';
import { insertRegion, revokeAgent } from '#control-plane/monitoring/agents/store.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const said = { version: 'v', capabilities: ['tls.facts', 'probe.now'], incapable: [] };

test('agents that come and go together are found, recorded and let go of, each as if it were alone', async t => {
  const databaseUrl = databaseOf();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, options: '-c app.role=worker' });
  // `end` does not wait for its sessions: a late one ends with the database.
  pool.on('error', () => {});
  t.teardown(() => pool.end());
  let statements = 0;
  const query = pool.query.bind(pool) as (...values: unknown[]) => unknown;
  pool.query = ((...values: unknown[]) => {
    statements += 1;
    return query(...values);
  }) as typeof pool.query;
  const agents = await withSql(databaseUrl, async sql => {
    await insertRegion(sql, { code: 'crowd', name: 'crowd', projectId: null }, Date.now());
    return Promise.all(
      Array.from({ length: 300 }, (_, index) => enrollAgent(sql, 'crowd', `agent-${index}`, Date.now())),
    );
  });
  const enrolled = agents.flatMap(agent => agent ?? []);
  t.is(enrolled.length, 300);
  const directory = openAgentDirectory(pool, { now: () => Date.now() });

  const found = await Promise.all([
    ...enrolled.map(({ secret }) => directory.find(secret)),
    directory.find('upa_stranger'),
  ]);
  t.deepEqual(
    found.map(agent => agent?.id ?? null),
    [...enrolled.map(({ id }) => id), null],
  );
  t.true(statements < 10, `${statements} statements for 301 lookups`);

  const [revoked, twice, odd, ...others] = enrolled;
  if (revoked === undefined || twice === undefined || odd === undefined) throw new Error('too few agents');
  await withSql(databaseUrl, sql => revokeAgent(sql, revoked.id, Date.now()));
  const [first, second] = [randomUUID(), randomUUID()];
  const arrivals = [
    { agentId: revoked.id, sessionId: randomUUID(), ...said },
    { agentId: twice.id, sessionId: first, ...said },
    { agentId: twice.id, sessionId: second, ...said },
    // What the database refuses keeps nobody else out.
    { agentId: odd.id, sessionId: randomUUID(), ...said, version: 'a\u0000b' },
    ...others.map(({ id }) => ({ agentId: id, sessionId: randomUUID(), ...said })),
  ];
  const outcomes = await Promise.allSettled(arrivals.map(arrival => directory.arrived(arrival)));
  const shown = outcomes.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : 'refused'));
  t.deepEqual(shown, [false, true, true, 'refused', ...others.map(() => true)]);
  const sessionOf = (id: string) => withSql(databaseUrl, async sql => (await findSession(sql, id))?.session_id);
  t.is(await sessionOf(twice.id), second, 'the last one counts');
  t.is(await sessionOf(revoked.id), null);

  await Promise.all([
    directory.left({ agentId: twice.id, sessionId: first, cleanClose: true }),
    directory.left({ agentId: twice.id, sessionId: second, cleanClose: false }),
  ]);
  const row = await withSql(
    databaseUrl,
    sql => sql.row<{ online: boolean; disconnected: boolean; capabilities: string[] }>`
      select online, disconnected_at is not null as disconnected, capabilities
      from agents
      where id = ${twice.id}`,
  );
  t.deepEqual(row, { online: true, disconnected: true, capabilities: said.capabilities });
});
