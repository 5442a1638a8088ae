import type { WebSocket } from 'ws';
import { Session } from '#control-plane/monitoring/agents/session.ts';
import { Sessions } from '#control-plane/monitoring/agents/sessions.ts';
import { Catalogue } from '#control-plane/monitoring/assignments/catalogue.ts';
import { Distributor } from '#control-plane/monitoring/assignments/distribute.ts';
import { DatabaseClock } from '#control-plane/platform/db/clock.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { PauseWatch } from '#control-plane/platform/timers/pause-watch.ts';
import { startTimers } from '#control-plane/platform/timers/start.ts';
import { minuteMs } from '#shared/duration.ts';
import { catalogueSql, loadAssignments } from './assignment-source.ts';
import { gatewayTimers } from './gateway-timers.ts';
import { type Intake, openIntake } from './intake.ts';
import { leasesOf } from './leases.ts';
import { silentLog } from './log.ts';
import type { Process } from './process.ts';
import { markConnected, markDisconnected } from './roster.ts';
import { keyOf } from './rows.ts';
import { successOf } from './signals.ts';
import type { Socket } from './socket.ts';
import type { World } from './world.ts';

/** How long an agent that was found is let in while the database is away (`platform/resilience/stale-if-error.ts`). */
const rememberedMs = 15 * minuteMs;
const signalMs = 10_000;

/** The clock of a process of the control plane, measured on the database's. */
export function databaseClock(world: World, process: Process): DatabaseClock {
  const clock = new DatabaseClock({ now: process.wall }, { now: process.steady });
  const row = () => world.database.transact(process, () => ({ now: world.database.now() }));
  const sql = { row } as unknown as Sql;
  const measure = () => void clock.measure(sql).catch(() => {});
  measure();
  process.every(10_000, measure);
  return clock;
}

/** A process with the role gateway: sessions, distributor and timers of the product. */
export class Gateway {
  readonly process: Process;
  readonly sessions = new Sessions();
  readonly distributor: Distributor;
  readonly clock: DatabaseClock;
  readonly #world: World;
  readonly intake: Intake;
  /** When each agent was looked up last. */
  readonly #foundAt = new Map<string, number>();
  /** Since when signals wait to be stored, oldest first. */
  readonly #waiting = new Set<{ since: number }>();

  constructor(world: World, process: Process, name: string) {
    this.#world = world;
    this.process = process;
    const { database } = world;
    this.clock = databaseClock(world, process);
    this.intake = openIntake(world, process, this.clock);
    this.distributor = new Distributor({
      catalogue: new Catalogue(catalogueSql(database, process)),
      sessions: this.sessions,
      load: (ids, region) => database.transact(process, rows => loadAssignments(rows, ids, region)),
      findSession: agentId =>
        database.transact(process, ({ agents }) => ({
          session_id: agents.get(agentId)?.sessionId ?? null,
          revoked: false,
        })),
      clock: this.clock,
      log: silentLog,
      timers: process,
    });
    const timers = gatewayTimers(world, this);
    startTimers(timers, {
      leases: leasesOf(database, process, name),
      findDue: async () => [],
      log: silentLog,
      time: process,
      pauses: new PauseWatch(process.wall, process),
    });
  }

  get signalsWaitMs(): number {
    for (const { since } of this.#waiting) return this.process.now() - since;
    return 0;
  }

  refresh(): Promise<void> {
    return this.distributor.refresh().catch(() => {});
  }

  /** Looks the agent up and opens its session, as `agents/gateway.ts` does. */
  async admit(agent: { id: string; region: string }, client: Socket, accepted: Socket): Promise<void> {
    const find = () => this.#world.database.transact(this.process, ({ agents }) => agents.get(agent.id));
    try {
      await this.#orWithout(find, this.process.steady() - (this.#foundAt.get(agent.id) ?? Number.NaN) < rememberedMs);
    } catch {
      return client.refuse(503);
    }
    if (!this.#world.database.isAway) this.#foundAt.set(agent.id, this.process.steady());
    this.#open(agent, accepted);
    client.open();
  }

  /** Takes a signal, as `signals/routes.ts` does; false if it cannot be stored within ten seconds. */
  async takeSignal(monitorId: string): Promise<boolean> {
    const { database, random, heard, taken } = this.#world;
    try {
      await this.#orWithout(() => database.transact(this.process, ({ monitors }) => monitors.get(monitorId)));
      heard.push({ monitorId, at: database.now() });
      const reported = successOf(database.rows, monitorId, random.between(1, 16_000), Math.floor(this.clock.now()));
      const { result, region } = reported;
      const tooLate = this.process.wait(signalMs).then(() => ['late' as const]);
      const waiting = { since: this.process.now() };
      this.#waiting.add(waiting);
      const stored = this.intake.record([reported]).finally(() => this.#waiting.delete(waiting));
      const [refusal] = await Promise.race([stored, tooLate]);
      if (refusal !== null) return false;
      taken.push({ monitorId, at: result.scheduled_at, key: keyOf({ ...result, region }) });
      return true;
    } catch {
      return false;
    }
  }

  /** With a broker a gateway goes on without the database, if it knows enough. */
  async #orWithout(work: () => Promise<unknown>, isKnown = true): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#world.scenario.intake !== 'nats' || !isKnown) throw error;
    }
  }

  #open({ id, region }: { id: string; region: string }, socket: Socket): void {
    const { process, sessions, clock } = this;
    const write = (change: Parameters<World['changeRoster']>[1]) => this.#world.changeRoster(process, change);
    const session: Session = new Session(
      socket as unknown as WebSocket,
      { id, region, name: id, isPrivate: false },
      { message: () => 0, results: () => 0 },
      {
        clock,
        log: silentLog,
        assignments: this.distributor,
        results: this.intake,
        probes: { probed() {} },
        timers: process,
        connect: async (agentId, sessionId, { capabilities = [] }) => {
          sessions.add(session);
          const arrival = { agentId, sessionId, able: capabilities.join(' ') };
          await this.#orWithout(() => write(rows => markConnected(rows, arrival, clock.now())));
          if (socket.readyState !== 1)
            await write(rows => markDisconnected(rows, { agentId, sessionId }, false, clock.now()));
          return true;
        },
      },
    );
    socket.on('close', (code: number) => {
      sessions.remove(session);
      session.end();
      const isClean = code === 1000 || code === 1001;
      const ours = { agentId: id, sessionId: session.id };
      write(rows => markDisconnected(rows, ours, isClean, clock.now())).catch(() => {});
    });
  }
}
