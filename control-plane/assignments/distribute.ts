import type { Clock } from '#shared/clock.ts';
import { minuteMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { processTimers, type Timers } from '#shared/timers.ts';
import type { Confirmation } from '#shared/vocabulary.ts';
import type { AgentSession, AssignmentHooks } from '../agents/hooks.ts';
import type { Sessions } from '../agents/sessions.ts';
import type { findSession } from '../agents/store.ts';
import type { Catalogue } from './catalogue.ts';
import { CheckNowLimiter } from './check-now.ts';
import { type Diff, diffAssignments } from './diff.ts';
import { groupIntoMessages, type LoadedAssignment } from './load.ts';
import { Share } from './share.ts';

export type DistributorServices = {
  catalogue: Catalogue;
  sessions: Sessions;
  /** Reads monitors and prepares them for agents of a region. */
  load(ids: readonly string[], region: string): Promise<LoadedAssignment[]>;
  /** An agent's session according to the database. */
  findSession(agentId: string): ReturnType<typeof findSession>;
  clock: Clock;
  log: Logger;
  timers?: Timers;
};

const freshMs = minuteMs;
const gatherMs = 250;
const departedMax = 10_000;
const mismatchesMax = 3;

/** What this replica sent to one connected agent, and what it has yet to look at. */
type AgentState = {
  share: Share;
  revision: number;
  /** The end of the sends queued so far: one agent's messages go out in order. */
  sending: Promise<void>;
  /** Monitors to compare; with `compareAll` every monitor. */
  changedIds: Set<string>;
  compareAll: boolean;
  sendSnapshot: boolean;
  mismatches: number;
};

/** Keeps every agent of this replica at its share of the plan. */
export class Distributor implements AssignmentHooks {
  readonly #services: DistributorServices;
  readonly #catalogue: Catalogue;
  readonly #agents = new Map<AgentSession, AgentState>();
  /** What agents held when they left, so that a short break costs a delta instead of a snapshot. */
  readonly #departed = new Map<string, Share>();
  readonly #limiter = new CheckNowLimiter();
  readonly #arrived: AgentSession[] = [];
  #reading: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(services: DistributorServices) {
    this.#services = services;
    this.#catalogue = services.catalogue;
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

  /** Sessions that come within a moment are opened after one reading: a restart brings all agents at once. */
  connected(session: AgentSession): void {
    this.#arrived.push(session);
    if (this.#arrived.length > 1) return;
    void (this.#services.timers ?? processTimers).wait(gatherMs, { ref: false }).then(async () => {
      // Who comes from now on is opened after a reading of their own, which knows them.
      const arrived = this.#arrived.splice(0);
      await this.refresh().catch(() => {});
      for (const session of arrived) this.#open(session);
    });
  }

  disconnected(session: AgentSession): void {
    const state = this.#agents.get(session);
    if (state === undefined) return;
    this.#agents.delete(session);
    this.#limiter.forget(session.agent.id);
    this.#departed.set(session.agent.id, state.share);
    for (const oldest of this.#departed.keys()) {
      if (this.#departed.size <= departedMax) break;
      this.#departed.delete(oldest);
    }
  }

  /** An agent whose digest differs from what it was sent gets a snapshot; after three of them it is disconnected. */
  applied(session: AgentSession, revision: number, digest: string): void {
    const state = this.#agents.get(session);
    if (state === undefined || revision !== state.revision || digest === state.share.digest) return;
    state.mismatches += 1;
    this.#services.log.warn(
      { agent: session.agent.id, revision },
      'the agent’s assignments differ from what it was sent',
    );
    if (state.mismatches > mismatchesMax) return session.close('malformed');
    state.share = new Share();
    state.sendSnapshot = true;
    this.#push(session);
  }

  /** Asks the agents of this replica that run these monitors in other regions, or in named ones, to check at once. */
  confirm(confirmations: readonly Confirmation[]): void {
    for (const { monitorId, configVersion, at, exceptRegion, regions, kind, projectId = '' } of confirmations) {
      const monitor = this.#catalogue.monitor(monitorId);
      for (const region of monitor?.version === configVersion ? monitor.regions : []) {
        const isAsked = region !== exceptRegion && (regions === undefined || regions.includes(region));
        if (isAsked) this.#checkNow(monitorId, configVersion, region, at, kind === undefined ? null : projectId);
      }
    }
  }

  #open(session: AgentSession): void {
    if (!session.ready) return;
    const { digest, revision } = session.held;
    const wanted = Share.of(this.#catalogue.wantedBy(session.agent.id, session.agent.region));
    const departed = this.#departed.get(session.agent.id);
    this.#departed.delete(session.agent.id);
    const current = wanted.digest === digest ? wanted : departed?.digest === digest ? departed : null;
    this.#agents.set(session, {
      share: current ?? new Share(),
      revision,
      sending: Promise.resolve(),
      changedIds: new Set(),
      compareAll: true,
      sendSnapshot: current === null,
      mismatches: 0,
    });
    this.#push(session);
  }

  async #read(): Promise<void> {
    const { moves, agents } = await this.#catalogue.read();
    // First of all, since the plan has moved on: what fails below must lose none of it.
    for (const [agentId, ids] of moves) {
      const session = this.#services.sessions.get(agentId);
      if (session !== null) this.#push(session, ids);
    }
    for (const row of agents) {
      const session = this.#services.sessions.get(row.id);
      if (session?.ready === true && row.session_id !== session.id) await this.#closeIfReplaced(session);
    }
  }

  /** The row may have been read before this very session was written: only a reading that is younger decides. */
  async #closeIfReplaced(session: AgentSession): Promise<void> {
    const row = await this.#services.findSession(session.agent.id);
    if (row !== null && row.session_id !== session.id) session.close(row.revoked ? 'revoked' : 'replaced');
  }

  /** With `ids` a change costs what changed; without, the agent's whole share is planned again. */
  #push(session: AgentSession, ids: Iterable<string> | null = null): void {
    const state = this.#agents.get(session);
    if (state === undefined) return;
    if (ids === null) state.compareAll = true;
    for (const id of ids ?? []) state.changedIds.add(id);
    state.sending = state.sending.then(() => this.#send(session, state)).catch(error => this.#failed(session, error));
  }

  #failed(session: AgentSession, error: unknown): void {
    this.#services.log.warn({ err: error, agent: session.agent.id }, 'could not send assignments');
    session.close('goingAway');
  }

  async #send(session: AgentSession, state: AgentState): Promise<void> {
    const { sendSnapshot } = state;
    if ((!state.compareAll && state.changedIds.size === 0 && !sendSnapshot) || !session.ready) return;
    const { put, drop } = this.#compare(session, state);
    if (put.length === 0 && drop.length === 0 && !sendSnapshot) return;
    const { region } = session.agent;
    state.revision += 1;
    state.sendSnapshot = false;
    for (const id of drop) state.share.drop(id);
    const loaded = await this.#services.load(put, region);
    for (const { assignment } of loaded) state.share.put(assignment.monitor_id, assignment.config_version);
    const messages = groupIntoMessages(loaded);
    for (const [index, message] of messages.entries()) {
      session.send({
        type: 'assignments',
        mode: sendSnapshot && index === 0 ? 'snapshot' : 'delta',
        revision: state.revision,
        put: message,
        drop: index === 0 ? drop : [],
        digest: state.share.digest,
        more: index < messages.length - 1,
      });
    }
    this.#checkFresh(loaded, region);
  }

  #compare({ agent }: AgentSession, state: AgentState): Diff {
    const ids = state.compareAll || state.sendSnapshot ? null : [...state.changedIds];
    state.compareAll = false;
    state.changedIds.clear();
    const { held } = state.share;
    if (ids === null) return diffAssignments(held, this.#catalogue.wantedBy(agent.id, agent.region));
    const current = new Map(ids.flatMap(id => (held.has(id) ? [[id, held.get(id) ?? 0] as const] : [])));
    const wanted = ids.filter(id => this.#catalogue.isOwnedBy(id, agent));
    return diffAssignments(current, new Map(wanted.map(id => [id, this.#catalogue.monitor(id)?.version ?? 0])));
  }

  /**
   * What was just created or changed is checked at once in all regions, at one instant, so that it is stored once. It
   * is a check of the schedule like those of the slots: there is nothing to confirm yet.
   */
  #checkFresh(loaded: readonly LoadedAssignment[], region: string): void {
    const since = this.#services.clock.now() - freshMs;
    for (const { assignment, projectId, configuredAt } of loaded) {
      if (configuredAt <= since) continue;
      this.#checkNow(assignment.monitor_id, assignment.config_version, region, configuredAt, projectId);
    }
  }

  /** `projectId` asks for a check like those of the slots; null: a confirmation. */
  #checkNow(monitorId: string, configVersion: number, region: string, at: number, projectId: string | null): void {
    const owner = this.#catalogue.owner(monitorId, region);
    const session = owner === null ? null : this.#services.sessions.get(owner);
    if (session === null || owner === null || !session.ready) return;
    if (!this.#limiter.take(owner, projectId, this.#services.clock.now())) return;
    const kind = projectId === null ? 'confirm' : 'scheduled';
    session.send({ type: 'check_now', monitor_id: monitorId, config_version: configVersion, at, kind });
  }
}
