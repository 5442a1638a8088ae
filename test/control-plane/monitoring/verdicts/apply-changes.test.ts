import test, { type ExecutionContext } from 'ava';
import type { MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import { findState, writeStates } from '#control-plane/monitoring/monitors/state/state-store.ts';
import { applyChanges } from '#control-plane/monitoring/verdicts/apply-each.ts';
import type { VerdictHooks } from '#control-plane/monitoring/verdicts/hooks.ts';
import { type FreshResult, judgeMonitor } from '#control-plane/monitoring/verdicts/judge.ts';
import { listChanges, writeChange } from '#control-plane/monitoring/verdicts/store.ts';
import type { VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { makeVersion, makeVote } from '#test/support/monitor-state.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { makeResult } from '#test/support/results.ts';

const database = useDatabase(test);
const nobody: ReadonlySet<string> = new Set();

/** A monitor of its own, its stored state, and hooks that note what they hear. */
async function openCase(t: ExecutionContext) {
  const world = await openMonitorWorld(t, database());
  const { body } = await world.post();
  const flips: VerdictChange[] = [];
  const failing: (readonly string[])[] = [];
  const moves: (readonly [string, number])[][] = [];
  const hooks: VerdictHooks = {
    flipped: async (_sql, _state, change) => void flips.push(change),
    alerted: async () => {},
    failingRegionsChanged: async (_sql, _state, regions) => void failing.push(regions),
    historyMoved: async (_sql, _id, before, rows) => {
      moves.push([...before, ...rows].map(({ verdict, since }) => [verdict, since]));
    },
  };
  const run = <Result>(work: (sql: Sql, state: MonitorState) => Promise<Result>): Promise<Result> =>
    withSql(database(), async sql => {
      const state = await findState(sql, body.id);
      if (state === null) throw new Error('the monitor has no state');
      return work(sql, state);
    });
  return { id: body.id as string, hooks, flips, failing, moves, run };
}

/** The second failed attempt of a region. */
function makeFailure(monitorId: string, region: string, at: number): FreshResult {
  const failure = makeResult({ monitor_id: monitorId, status: 'err', attempt: 2, failure_source: 'target' });
  const times = { scheduled_at: at, started_at: at - 5, completed_at: at, receivedAt: at };
  const version = makeVersion({ regions: [region], intervalMs: 60_000 });
  return { result: { ...failure, ...times, region, agentId: 'agt_1', bin: null, seq: 1 }, version };
}

test('a verdict that joins the row before it takes its start, in the state and for the hooks', async t => {
  const { id, hooks, flips, moves, run } = await openCase(t);
  const upAt = Date.now() + 60_000;
  const row = (verdict: VerdictChange['verdict'], since: number): VerdictChange => ({
    since,
    verdict,
    votes: {},
    configVersion: 1,
  });
  await run(async (sql, state) => {
    await writeChange(sql, state, row('up', upAt));
    await writeChange(sql, state, row('undetermined', upAt + 30_000));
    const before: MonitorState = { ...state, verdict: 'undetermined', since: upAt + 30_000 };
    // A delayed result dates the new verdict before the row that its silence had made.
    const after: MonitorState = { ...before, verdict: 'up', since: upAt + 25_000 };
    await writeStates(sql, [after]);
    await applyChanges(sql, hooks, before, after, [row('up', after.since)], nobody, Date.now());
    t.is((await findState(sql, id))?.since, upAt);
    const rows = await listChanges(sql, id, upAt, upAt + 60_000);
    t.deepEqual(
      rows.map(({ verdict, since }) => [verdict, since]),
      [['up', upAt]],
    );
  });
  t.deepEqual(
    flips.map(({ verdict, since }) => [verdict, since]),
    [['up', upAt]],
  );
  const replaced = [
    ['undetermined', upAt + 30_000],
    ['up', upAt],
  ] as const;
  t.deepEqual(moves, [[...replaced]], 'alerts follow the rows that are replaced');
});

test('regions that fail in the batch that makes the quorum are all reported', async t => {
  const { hooks, failing, flips, run } = await openCase(t);
  await run(async (sql, state) => {
    const at = Date.now();
    const { regions } = state.rules;
    const votes = Object.fromEntries(regions.map(region => [region, makeVote(at - 20_000)]));
    const before: MonitorState = { ...state, verdict: 'up', since: at - 20_000, earliestStart: at - 40_000, votes };
    const results = regions.map((region, index) => makeFailure(state.monitorId, region, at - 300 + index));
    const judged = judgeMonitor(before, results, at, nobody);
    await applyChanges(sql, hooks, before, judged.state, judged.changes, nobody, at);
    t.deepEqual(
      flips.map(({ verdict }) => verdict),
      ['down'],
    );
    t.deepEqual(failing, [regions]);
  });
});
