import { randomUUID } from 'node:crypto';
import test from 'ava';
import { findSession, readDirectory } from '#control-plane/monitoring/agents/directory-store.ts';
import { enrollAgent } from '#control-plane/monitoring/agents/enroll.ts';
import { type Vitals, writeHeartbeats } from '#control-plane/monitoring/agents/heartbeat-store.ts';
import {
  findAgentsBySecret,
  insertRegion,
  listAgents,
  listRegions,
  markConnected,
  markDisconnected,
  markGone,
  revokeAgent,
} from '#control-plane/monitoring/agents/store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { hashBearer } from '#control-plane/platform/secrets/bearer.ts';
import { createTenant, withSql } from '#test/support/control-plane.ts';
import { createDatabase, useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const nowMs = Date.now();

/** An enrolled agent in a region of its own. */
async function enroll(sql: Sql, region: string, projectId: string | null = null) {
  await insertRegion(sql, { code: region, name: region, projectId }, nowMs);
  const agent = await enrollAgent(sql, region, `${region}-1`, nowMs);
  if (agent === null) throw new Error('the region was just created');
  const state = async () => {
    const { agents } = await readDirectory(sql, '0');
    return agents.find(row => row.id === agent.id);
  };
  return { ...agent, state };
}

const vitalsOf = (agentId: string, sessionId: string, changes: Partial<Vitals> = {}): Vitals => ({
  agentId,
  sessionId,
  clockOffsetMs: 1.5,
  assignments: 3,
  checksPerSecond: 0.3,
  queueDepth: 7,
  missedSlots: 2,
  lateStarts: 1,
  spoolCount: 5,
  spoolDropped: 3,
  spoolFailing: false,
  ...changes,
});

const idsOf = async (sql: Sql, vitals: readonly Vitals[], atMs: number) =>
  (await writeHeartbeats(sql, vitals, atMs)).map(agent => agent.id);

const arrive = async (sql: Sql, agentId: string, sessionId: string, atMs: number) =>
  (
    await markConnected(sql, [{ agentId, sessionId, version: 'v', capabilities: ['tls.facts'], incapable: [] }], atMs)
  ).has(agentId);
const leave = (sql: Sql, agentId: string, sessionId: string, cleanClose: boolean, atMs: number) =>
  markDisconnected(sql, [{ agentId, sessionId, cleanClose }], atMs);
const findBySecret = async (sql: Sql, secret: string) => {
  const [found = null] = (await findAgentsBySecret(sql, [hashBearer(secret)])).values();
  return found;
};

test.serial('what an agent dropped adds up, also over restarts of the agent, and a failing spool is shown', async t => {
  await withSql(databaseOf(), async sql => {
    const { projectId } = await createTenant(databaseOf());
    const { id } = await enroll(sql, 'losses', projectId);
    const session = randomUUID();
    await arrive(sql, id, session, nowMs);
    const beat = async (changes: Partial<Vitals>) =>
      (await writeHeartbeats(sql, [vitalsOf(id, session, changes)], nowMs))[0]?.dropped;
    t.is(await beat({ spoolDropped: 10 }), 10);
    t.is(await beat({ spoolDropped: 10 }), 0);
    t.is(await beat({ spoolDropped: 12 }), 2);
    t.is(await beat({ spoolDropped: 4, spoolFailing: true }), 4, 'the agent counts from zero after a restart');
    const [listed] = await listAgents(sql, projectId, false, 'losses', { limit: 10, after: null });
    t.like(listed, { results_dropped: 16, late_starts: 4, spool_count: 5, spool_failing: true });
  });
});

test.serial('a gateway counts what it can do itself for each agent, whatever the agent says', async t => {
  await withSql(databaseOf(), async sql => {
    const { id, state } = await enroll(sql, 'words');
    await arrive(sql, id, randomUUID(), nowMs);
    t.deepEqual((await state())?.able.split(' '), ['tls.facts', 'gateway.2', 'gateway.3', 'gateway.4']);
  });
});

test.serial('an agent is found by its secret until it is revoked, and revoked once', async t => {
  await withSql(databaseOf(), async sql => {
    const { id, secret, state } = await enroll(sql, 'secret');
    t.like(await findBySecret(sql, secret), { id, region: 'secret', name: 'secret-1' });
    t.is(await findBySecret(sql, `${secret}x`), null);
    t.true(await revokeAgent(sql, id, nowMs));
    t.false(await revokeAgent(sql, id, nowMs));
    t.false(await revokeAgent(sql, 'agt_none', nowMs));
    t.is(await findBySecret(sql, secret), null);
    t.false(await arrive(sql, id, randomUUID(), nowMs), 'it cannot connect any more');
    t.like(await state(), { online: false, revoked: true, session_id: null });
  });
});

test.serial('a region must exist, and a name is free again after its agent is revoked', async t => {
  await withSql(databaseOf(), async sql => {
    t.is(await enrollAgent(sql, 'nowhere', 'n', nowMs), null);
    const { id } = await enroll(sql, 'names');
    t.false(await insertRegion(sql, { code: 'names', name: 'again', projectId: null }, nowMs));
    await t.throwsAsync(enrollAgent(sql, 'names', 'names-1', nowMs), { code: '23505' });
    await revokeAgent(sql, id, nowMs);
    t.not(await enrollAgent(sql, 'names', 'names-1', nowMs), null);
  });
});

for (const [isClean, isOnline] of [
  [true, false],
  [false, true],
] as const) {
  test.serial(
    `after a ${isClean ? 'clean close' : 'lost connection'} an agent is ${isOnline ? 'still online' : 'offline'}`,
    async t => {
      await withSql(databaseOf(), async sql => {
        const { id, state } = await enroll(sql, `close-${isClean}`);
        const session = randomUUID();
        await arrive(sql, id, session, nowMs);
        await leave(sql, id, randomUUID(), isClean, nowMs);
        t.is((await state())?.online, true, 'the close of an older session changes nothing');
        await leave(sql, id, session, isClean, nowMs);
        t.is((await state())?.online, isOnline);
      });
    },
  );
}

test.serial('heartbeats count for the current session only, add up missed slots and revive an agent', async t => {
  await withSql(databaseOf(), async sql => {
    const { projectId } = await createTenant(databaseOf());
    const { id, state } = await enroll(sql, 'heart', projectId);
    const [old, session] = [randomUUID(), randomUUID()];
    await arrive(sql, id, old, nowMs);
    await arrive(sql, id, session, nowMs);
    t.deepEqual(await idsOf(sql, [vitalsOf(id, old)], nowMs), []);
    t.deepEqual(await findSession(sql, id), { session_id: session, revoked: false });
    await markGone(sql, nowMs + 60_000, 10_000, 45_000);
    t.is((await state())?.online, false);
    for (let count = 0; count < 2; count++)
      t.deepEqual(await idsOf(sql, [vitalsOf(id, session)], nowMs + 60_000), [id]);
    t.is((await state())?.online, true);
    const [listed] = await listAgents(sql, projectId, false, 'heart', { limit: 10, after: null });
    t.like(listed, { id, missed_slots: 4, queue_depth: 7, clock_offset_ms: 1.5, last_seen_at: nowMs + 60_000 });
    const [region] = (await listRegions(sql, projectId, { limit: 50, after: null })).filter(
      row => row.code === 'heart',
    );
    t.deepEqual(region, {
      code: 'heart',
      name: 'heart',
      agents_online: 1,
      agents_total: 1,
      capabilities: ['tls.facts'],
    });
  });
});

test.serial(
  'agents are gone after the grace period without a socket, or the dead time without a heartbeat',
  async t => {
    // Its own database: agents of other tests would be marked too.
    const database = await createDatabase();
    t.teardown(() => database.drop());
    await withSql(database.url, async sql => {
      const [lost, silent] = [await enroll(sql, 'lost'), await enroll(sql, 'silent')];
      const session = randomUUID();
      await arrive(sql, lost.id, session, nowMs);
      await arrive(sql, silent.id, randomUUID(), nowMs);
      await leave(sql, lost.id, session, false, nowMs);
      t.is(await markGone(sql, nowMs + 10_000, 10_000, 45_000), 0);
      t.is(await markGone(sql, nowMs + 10_001, 10_000, 45_000), 1);
      t.is((await lost.state())?.online, false);
      t.is(await markGone(sql, nowMs + 45_000, 10_000, 45_000), 0);
      t.is(await markGone(sql, nowMs + 45_001, 10_000, 45_000), 1);
      t.is((await silent.state())?.online, false);
    });
  },
);
