import test from 'ava';
import { heartbeats } from '#control-plane/monitoring/agents/heartbeat.ts';
import type { AgentSession } from '#control-plane/monitoring/agents/hooks.ts';
import { ReportedVitals } from '#control-plane/monitoring/agents/reported-vitals.ts';
import { Sessions } from '#control-plane/monitoring/agents/sessions.ts';
import { createPools } from '#control-plane/platform/db/pool.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { createLog } from '#shared/log.ts';
import type { AgentMessage } from '#shared/protocol/messages.ts';
import { createRegions, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);
const log = createLog({ name: 'test', level: 'silent' });

const message: Extract<AgentMessage, { type: 'vitals' }> = {
  type: 'vitals',
  clock_offset_ms: 0,
  assignments: 1,
  checks: 1,
  period_ms: 5000,
  queue_depth: 0,
  missed: { overloaded: 2, previous_running: 1 },
  late_starts: 4,
  rss_bytes: 1,
  spool: { count: 0, bytes: 0, dropped: 0 },
};

const sessionId = '00000000-0000-4000-8000-000000000000';

function sessionOf(agentId: string, vitals: ReportedVitals, close: AgentSession['close'] = () => {}): AgentSession {
  return {
    id: sessionId,
    agent: { id: agentId, region: 'r', name: agentId, isPrivate: false },
    held: { revision: 0, digest: '' },
    ready: true,
    send: () => {},
    close,
    takeVitals: () => ({ agentId, sessionId, ...vitals.take(undefined) }),
    putBackVitals: taken => vitals.putBack(taken),
  };
}

test('what an agent counted is in the next heartbeat that is written, after one that failed', async t => {
  await createRegions(database(), ['beat-a']);
  const agent = await withSql(
    database(),
    sql =>
      sql.row<{ id: string }>`
        update agents
        set session_id = ${sessionId}
        where region = 'beat-a'
        returning id`,
  );
  const id = agent?.id ?? '';
  const vitals = new ReportedVitals();
  const sessions = new Sessions();
  sessions.add(sessionOf(id, vitals));
  const metrics = createMetrics();
  const warned: string[] = [];
  const warning = createLog({
    name: 'test',
    level: 'warn',
    destination: { write: (line: string) => void warned.push(JSON.parse(line).msg) },
  });
  const beat = (sql: Sql) => heartbeats({ sql, sessions, metrics, log: warning })(Date.now());
  const counted = () =>
    withSql(
      database(),
      sql => sql.row`
        select missed_slots, late_starts
        from agents
        where id = ${id}`,
    );

  const away = createPools(database(), log);
  await away.end();
  vitals.add(message);
  await t.throwsAsync(beat(sqlOf(away.front)));
  vitals.add({ ...message, missed: { overloaded: 1 } });
  await withSql(database(), beat);
  t.deepEqual(await counted(), { missed_slots: 4, late_starts: 8 });
  vitals.add({ ...message, missed: {}, late_starts: 0, spool: { count: 0, bytes: 0, dropped: 3, failing: true } });
  await withSql(database(), beat);
  t.deepEqual(await counted(), { missed_slots: 4, late_starts: 8 });
  const losses = (await metrics.agentLosses.get()).values.map(({ labels, value }) => [labels.kind, value]);
  t.deepEqual(losses.toSorted(), [
    ['late_starts', 8],
    ['missed_slots', 4],
    ['results_dropped', 3],
  ]);
  t.is((await metrics.failingSpools.get()).values[0]?.value, 1);
  t.deepEqual(warned, [
    'an agent dropped results because its spool was full',
    'an agent cannot write its spool: if it ends, the results that wait are lost',
  ]);
  t.true('heartbeats' in metrics.commits.agesMs());
});

test('a session that is no longer the one of its agent ends, and says whether the agent is revoked', async t => {
  await createRegions(database(), ['beat-b', 'beat-c', 'beat-d']);
  await withSql(database(), async sql => {
    await sql.run`update agents set session_id = gen_random_uuid() where region = 'beat-b'`;
    await sql.run`update agents set revoked_at = now() where region = 'beat-c'`;
    await sql.run`update agents set session_id = ${sessionId} where region = 'beat-d'`;
    const rows = await sql.rows<{ id: string; region: string }>`
      select id, region
      from agents
      where region = any('{beat-b,beat-c,beat-d}')`;
    const sessions = new Sessions();
    const closed: string[][] = [];
    for (const { id, region } of rows)
      sessions.add(sessionOf(id, new ReportedVitals(), why => void closed.push([region, why])));
    await heartbeats({ sql, sessions, metrics: createMetrics(), log })(Date.now());
    t.deepEqual(closed.toSorted(), [
      ['beat-b', 'replaced'],
      ['beat-c', 'revoked'],
    ]);
  });
});
