import { attendancePulse } from '#control-plane/monitoring/signals/attendance.ts';
import { isBehind, streamsWaitMs } from '#control-plane/operations/intake/nats/position-store.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import type { Timer } from '#control-plane/platform/timers/timers.ts';
import { sweepAlerts } from './alerting.ts';
import type { Gateway } from './gateway.ts';
import { sweepVotes } from './judging.ts';
import { positionPool } from './positions.ts';
import { watchRegions } from './quarantining.ts';
import { replayLate } from './replaying.ts';
import { beat, markGone } from './roster.ts';
import type { Rows } from './rows.ts';
import { hasDue, judgeDeadlines } from './signals.ts';
import type { World } from './world.ts';

/** `SWEEP_HOLD_SECONDS`, shorter since intervals are. */
const sweepHoldMs = 15_000;
/** What comes is stored so soon without a broker (`intake/direct.ts`). */
const commitMs = 2000;

/** The timers of the role, less often than in `control-plane/monitoring/timers.ts`, with the same holds and leases. */
export function gatewayTimers(world: World, gateway: Gateway): Timer[] {
  const { process, sessions, distributor, clock } = gateway;
  const { database } = world;
  const positions = sqlOf(positionPool(world, process));
  const isDue = (nowMs: number) => {
    database.requirePresence();
    const { states, clocks } = database.rows;
    const isOver = (dueAt: number | null) => dueAt !== null && dueAt <= nowMs;
    return (
      [...states.values()].some(state => isOver(state.sweepAt)) || [...clocks.values()].some(row => isOver(row.dueAt))
    );
  };
  return [
    ...(world.scenario.jobs.length === 0 ? [] : ofHeartbeats(world, gateway)),
    {
      name: 'sweep',
      everyMs: 1000,
      hold: { startMs: sweepHoldMs, gapMs: sweepHoldMs },
      run: async () => {
        const nowMs = clock.now();
        if (!isDue(nowMs) || (await isBehind(positions))) return;
        if (world.mutation !== 'votes do not expire') await database.transact(process, rows => sweepVotes(rows, nowMs));
        await database.transact(process, rows => sweepAlerts(rows, nowMs - 1000, nowMs));
      },
    },
    { name: 'replay', everyMs: 2000, run: () => replayLate(world, process, clock) },
    {
      name: 'regions',
      everyMs: 5000,
      leaseMs: 20_000,
      run: async () => {
        const { faults, voteDowns } = database.rows;
        const isNeeded = [...voteDowns.keys()].length > 0 || [...faults.keys()].length > 0;
        if (isNeeded) await watchRegions(world, process, clock.now());
      },
    },
    {
      name: 'configuration',
      everyMs: 3000,
      run: () => (world.mutation === 'owners are not told' ? Promise.resolve() : distributor.refresh()),
    },
    {
      name: 'heartbeat',
      everyMs: 5000,
      run: async () => {
        const ready = [...sessions].filter(session => session.ready);
        const said = ready.map(session => ({ agentId: session.agent.id, sessionId: session.id }));
        const { ours, revived } = await database.transact(process, rows => beat(rows, said, clock.now()));
        if (revived) world.notifyConfig();
        for (const session of ready) if (!ours.includes(session.agent.id) && session.ready) session.close('replaced');
      },
    },
    {
      name: 'liveness',
      everyMs: 2000,
      leaseMs: 10_000,
      hold: { startMs: 0, gapMs: 15_000 },
      run: () => world.changeRoster(process, rows => markGone(rows, clock.now())),
    },
  ];
}

/** Those of heartbeats: that this front takes signals, and what did not come in time. */
function ofHeartbeats(world: World, gateway: Gateway): Timer[] {
  const { database, scenario } = world;
  const { process, clock } = gateway;
  const isHasty = world.mutation === 'deadlines are judged while signals wait';
  const positions = sqlOf(positionPool(world, process));
  const attend = (id: string) => (rows: Rows) => {
    const at = clock.now();
    rows.attendance.put(id, { startedAt: rows.attendance.get(id)?.startedAt ?? at, renewedAt: at });
  };
  const sql = { run: (_: TemplateStringsArray, id: string) => database.transact(process, attend(id)) };
  const pulse = attendancePulse(sql as unknown as Sql, scenario.intake === 'nats');
  return [
    { name: 'attendance', everyMs: 2000, run: () => pulse(clock.now(), gateway.signalsWaitMs) },
    {
      name: 'deadlines',
      everyMs: 1000,
      leaseMs: 15_000,
      run: async () => {
        database.requirePresence();
        if (!hasDue(database.rows, clock.now())) return;
        const nowMs = clock.now();
        const waitMs = scenario.intake === 'nats' && !isHasty ? await streamsWaitMs(positions, 'results') : commitMs;
        await database.transact(process, rows => judgeDeadlines(world, rows, nowMs, nowMs - waitMs));
      },
    },
  ];
}
