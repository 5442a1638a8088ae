import PQueue from 'p-queue';
import { minuteMs } from '#shared/duration.ts';
import { processTimers } from '#shared/timers.ts';
import type { Confirmation } from '#shared/vocabulary.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import type { AgentSession, AssignmentHooks } from '../agents/hooks.ts';
import { type AgentState, stateOf } from './agent-state.ts';
import { Arrivals } from './arrivals.ts';
import { AssignmentSet } from './assignment-set.ts';
import type { Catalogue } from './catalogue.ts';
import { type CheckNow, CheckNowLimiter } from './check-now.ts';
import { type Diff, diffAssignments } from './diff.ts';
import { LateChecks } from './late-checks.ts';
import { forAgent, groupIntoMessages, type LoadedAssignment } from './load.ts';
import { RecentlyGone } from './recently-gone.ts';
import type { DistributorServices } from './services.ts';

const freshMs = minuteMs;
const gatherMs = 250;
const loadsAtOnce = 2;
const mismatchesMax = 3;

/** Keeps every agent of this replica at what the plan assigns to it. */
export class Distributor implements AssignmentHooks {
  readonly #services: DistributorServices;
  readonly #catalogue: Catalogue;
  readonly #agents = new Map<AgentSession, AgentState>();
  readonly #recentlyGone = new RecentlyGone();
  /** What changed goes out before what is new to an agent: after a restart thousands may want everything. */
  readonly #turns = new PQueue({ concurrency: loadsAtOnce });
  readonly #limiter = new CheckNowLimiter();
  readonly #arrived = new Arrivals();
  /** Those that a reading is made for, or could not be: their agents go on with what they have. */
  readonly #waiting = new Set<AgentSession>();
  readonly #late = new LateChecks();
  #reading: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(services: DistributorServices) {
    this.#services = services;
    this.#catalogue = services.catalogue;
  }

  measure(metrics: Pick<Metrics, 'agentsWaiting' | 'monitorsHeld'>): void {
    const behind = [...this.#agents.values()].filter(({ queued }) => queued > 0).length;
    metrics.agentsWaiting.set(this.#arrived.size + this.#waiting.size + behind);
    metrics.monitorsHeld.set(this.#catalogue.size);
  }

  /** Reads what changed and queues what agents need, in a reading that starts after this call. */
  refresh(): Promise<void> {
    if (this.#reading === null) {
      this.#reading = this.#read().finally(() => {
        this.#reading = null;
      });
      return this.#reading;
    }
    this.#next ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.refresh();
      });
    return this.#next;
  }

  /** Sessions that come within a moment are opened after one reading: a restart brings agents of all regions. */
  connected(session: AgentSession): void {
    if (!this.#arrived.come(session)) return;
    void (this.#services.timers ?? processTimers).wait(gatherMs, { ref: false }).then(async () => {
      // Who comes from now on is opened after a reading of their own, which knows them.
      for (const session of this.#arrived.take()) this.#waiting.add(session);
      await this.refresh().catch(() => this.#openWaiting());
    });
  }

  disconnected(session: AgentSession): void {
    this.#waiting.delete(session);
    const state = this.#agents.get(session);
    if (state === undefined) return;
    this.#agents.delete(session);
    this.#limiter.forget(session.agent.id);
    this.#recentlyGone.keep(session.agent.id, state.assigned);
  }

  /** An agent whose digest differs from what it was sent gets a snapshot; after three of them it is disconnected. */
  applied(session: AgentSession, revision: number, digest: string): void {
    const state = this.#agents.get(session);
    if (state === undefined || revision !== state.revision || digest === state.assigned.digest) return;
    const { id, region } = session.agent;
    state.mismatches += 1;
    this.#services.log.warn({ agent: id, revision }, 'the agent’s assignments differ from what it was sent');
    if (state.mismatches > mismatchesMax) return session.close('malformed');
    state.assigned = new AssignmentSet();
    state.sendSnapshot = true;
    const wanted = new Map(this.#catalogue.wantedBy([id], region).get(id));
    this.#push(session, wanted.keys());
  }

  /** Asks agents of this replica that run these monitors in other regions, or in named ones, to check at once. */
  confirm(confirmations: readonly Confirmation[]): void {
    for (const check of confirmations) {
      const { monitorId, configVersion, at, exceptRegion, regions, kind = 'confirm', projectId } = check;
      const monitor = this.#catalogue.monitor(monitorId);
      if (monitor === null) this.#keepIfArriving(check);
      for (const region of monitor?.version === configVersion ? monitor.regions : []) {
        if (region === exceptRegion || regions?.includes(region) === false) continue;
        const isSent = this.#checkNow(monitorId, configVersion, region, at, { kind, projectId });
        if (!isSent) this.#keepIfArriving({ ...check, regions: [region] });
      }
    }
  }

  #keepIfArriving(check: Confirmation): void {
    if (this.#arrived.size + this.#waiting.size > 0) this.#late.keep(check);
  }

  /** Opens the sessions whose regions are known. */
  #openWaiting(): void {
    const known = [...this.#waiting].filter(({ agent }) => this.#catalogue.knows(agent.region));
    for (const [region, sessions] of Map.groupBy(known, ({ agent }) => agent.region)) {
      const ids = sessions.map(({ agent }) => agent.id);
      const wanted = this.#catalogue.wantedBy(ids, region);
      const gone = this.#catalogue.goneLately(region, this.#services.clock.now());
      for (const session of sessions) {
        this.#waiting.delete(session);
        if (!session.ready) continue;
        const { id } = session.agent;
        const assigned = AssignmentSet.of(wanted.get(id) ?? []);
        this.#agents.set(session, stateOf(session, assigned, this.#recentlyGone.take(id), gone));
        this.#push(session, []);
      }
    }
    this.confirm(this.#late.take(this.#services.clock.now()));
  }

  async #read(): Promise<void> {
    const { sessions, clock } = this.#services;
    this.#arrived.begin();
    // Not those that are still gathered: the regions of all who come after a restart are read together.
    const here = [...this.#agents.keys(), ...this.#waiting];
    const inUse = new Set(here.map(({ agent }) => agent.region));
    const hears = (agentId: string) => this.#agents.has(sessions.get(agentId) as AgentSession);
    const { moves, agents, doubtful } = await this.#catalogue.read(inUse, hears, clock.now());
    // First of all, since the plan has moved on: what fails below must lose none of it.
    for (const [agentId, ids] of moves) {
      const session = sessions.get(agentId);
      if (session !== null) this.#push(session, ids);
    }
    for (const [session, { assigned }] of this.#agents) {
      const { id: agentId, region } = session.agent;
      // What has moved to another agent is held until its removal is sent.
      const held = doubtful.filter(id => assigned.held.has(id) && this.#catalogue.owner(id, region) === agentId);
      for (const id of held) assigned.drop(id);
      this.#push(session, held);
    }
    if (this.#arrived.mayOpen(this.#agents.size)) this.#openWaiting();
    for (const row of agents) {
      const session = sessions.get(row.id);
      if (session?.ready === true && row.session_id !== session.id) await this.#closeIfReplaced(session);
    }
  }

  /** The row may have been read before this very session was written: only a reading that is younger decides. */
  async #closeIfReplaced(session: AgentSession): Promise<void> {
    const row = await this.#services.findSession(session.agent.id);
    if (row !== null && row.session_id !== session.id) session.close(row.revoked ? 'revoked' : 'replaced');
  }

  #push(session: AgentSession, ids: Iterable<string>): void {
    const state = this.#agents.get(session);
    if (state === undefined) return;
    for (const id of ids) state.changedIds.add(id);
    if (state.changedIds.size === 0 && !state.sendSnapshot) return;
    const priority = state.sendSnapshot ? 0 : 1;
    state.queued += 1;
    state.sending = state.sending
      .then(() => this.#turns.add(() => this.#send(session, state), { priority }))
      .catch(error => {
        this.#services.log.warn({ err: error, agent: session.agent.id }, 'could not send assignments');
        session.close('goingAway');
      })
      .finally(() => {
        state.queued -= 1;
      });
  }

  async #send(session: AgentSession, state: AgentState): Promise<void> {
    const { sendSnapshot } = state;
    const { region } = session.agent;
    if ((state.changedIds.size === 0 && !sendSnapshot) || !session.ready) return;
    const { put, drop } = this.#compare(session, state);
    if (put.length + drop.length === 0 && !sendSnapshot) return;
    state.revision += 1;
    state.sendSnapshot = false;
    for (const id of drop) state.assigned.drop(id);
    const loaded = forAgent(session.capabilities, await this.#services.load(put, region));
    for (const { assignment } of loaded) state.assigned.put(assignment.monitor_id, assignment.config_version);
    const messages = groupIntoMessages(loaded);
    for (const [index, message] of messages.entries()) {
      session.send({
        type: 'assignments',
        mode: sendSnapshot && index === 0 ? 'snapshot' : 'delta',
        revision: state.revision,
        put: message,
        drop: index === 0 ? drop : [],
        digest: state.assigned.digest,
        more: index < messages.length - 1,
      });
    }
    this.#checkFresh(loaded, region);
  }

  #compare(session: AgentSession, state: AgentState): Diff {
    const ids = [...state.changedIds];
    state.changedIds.clear();
    const wanted = ids.filter(id => this.#catalogue.isOwner(id, session));
    return diffAssignments(
      state.assigned.among(ids),
      new Map(wanted.map(id => [id, this.#catalogue.monitor(id)?.version ?? 0])),
    );
  }

  /**
   * What was just created or changed is checked at once in all regions, at one instant, so that it is stored once. It
   * is a check of the schedule like those of the slots: there is nothing to confirm yet.
   */
  #checkFresh(loaded: readonly LoadedAssignment[], region: string): void {
    for (const { assignment, projectId, configuredAt } of loaded) {
      if (configuredAt <= this.#services.clock.now() - freshMs) continue;
      const asked = { kind: 'scheduled', projectId } as const;
      this.#checkNow(assignment.monitor_id, assignment.config_version, region, configuredAt, asked);
    }
  }

  /** False if no agent here runs it. */
  #checkNow(monitorId: string, configVersion: number, region: string, at: number, asked: CheckNow): boolean {
    const owner = this.#catalogue.owner(monitorId, region);
    const session = owner === null ? null : this.#services.sessions.get(owner);
    const state = session === null ? undefined : this.#agents.get(session);
    if (session === null || owner === null || state === undefined || !session.ready) return false;
    if (!this.#limiter.take(owner, asked, this.#services.clock.now())) return true;
    const { kind } = asked;
    const check = { type: 'check_now', monitor_id: monitorId, config_version: configVersion, at, kind } as const;
    // The agent has to know the monitor first.
    if (state.queued > 0 && !state.assigned.held.has(monitorId)) void state.sending.then(() => session.send(check));
    else session.send(check);
    return true;
  }
}
