import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { type Assignment, assignmentsMax } from '#shared/protocol/messages.ts';
import type { Gateway } from '../agents/gateway.ts';
import type { AgentSession } from '../agents/stages.ts';
import { findSession } from '../agents/store.ts';
import { sqlOf } from '../db/sql.ts';
import type { MonitorRow } from '../monitors/store.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { Catalogue } from './catalogue.ts';
import { CheckNowLimiter, type Confirmation } from './check-now.ts';
import { type Diff, diffAssignments } from './diff.ts';
import { Share } from './share.ts';
import { readMonitors } from './store.ts';
import { toAssignment } from './to-assignment.ts';

export type DistributorServices = {
  pool: pg.Pool;
  gateway: () => Gateway;
  keyring: Keyring;
  clock: Clock;
  log: Logger;
};

const freshMs = 60_000;
const sharesKept = 10_000;
const partBytesMax = 700_000;
const assignmentBytesMax = 1_000_000;

type Loaded = { assignment: Assignment; bytes: number; configuredAt: number };

/** `ids` are to be looked at; with `whole` everything is. */
type Line = {
  share: Share;
  revision: number;
  pushing: Promise<void>;
  ids: Set<string>;
  whole: boolean;
  snapshot: boolean;
  stale: number;
};

/** Keeps every agent of this replica at its share of the plan. */
export class Distributor {
  readonly #services: DistributorServices;
  readonly #catalogue: Catalogue;
  readonly #lines = new Map<AgentSession, Line>();
  /** What agents held when they left, so that a short break costs a delta. */
  readonly #left = new Map<string, Share>();
  readonly #limiter = new CheckNowLimiter();
  #reading: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(services: DistributorServices) {
    this.#services = services;
    this.#catalogue = new Catalogue(sqlOf(services.pool));
  }

  /** Reads what changed and sends what follows, in a reading that starts after this call. */
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

  connected(session: AgentSession): void {
    void this.refresh()
      .catch(() => {})
      .then(() => this.#open(session));
  }

  disconnected(session: AgentSession): void {
    const line = this.#lines.get(session);
    if (line === undefined) return;
    this.#lines.delete(session);
    this.#limiter.forget(session.agent.id);
    this.#left.set(session.agent.id, line.share);
    for (const oldest of this.#left.keys()) {
      if (this.#left.size <= sharesKept) break;
      this.#left.delete(oldest);
    }
  }

  /** An agent that holds something else than it was sent gets everything again. */
  applied(session: AgentSession, revision: number, digest: string): void {
    const line = this.#lines.get(session);
    if (line === undefined || revision !== line.revision || digest === line.share.digest) return;
    line.stale += 1;
    this.#services.log.warn({ agent: session.agent.id, revision }, 'agent holds other assignments than it was sent');
    if (line.stale > 3) return session.close('malformed');
    line.share = new Share();
    line.snapshot = true;
    this.#push(session);
  }

  /** Asks the agents of this replica that run these monitors in other regions to look at once. */
  confirm(confirmations: readonly Confirmation[]): void {
    for (const { monitorId, configVersion, at, exceptRegion } of confirmations) {
      const monitor = this.#catalogue.monitor(monitorId);
      for (const region of monitor?.version === configVersion ? monitor.regions : []) {
        if (region !== exceptRegion) this.#checkNow(monitorId, configVersion, region, at);
      }
    }
  }

  #open(session: AgentSession): void {
    if (!session.ready) return;
    const { digest, revision } = session.held;
    const wanted = Share.of(this.#catalogue.wantedBy(session.agent.id, session.agent.region));
    const left = this.#left.get(session.agent.id);
    this.#left.delete(session.agent.id);
    const known = wanted.digest === digest ? wanted : left?.digest === digest ? left : null;
    this.#lines.set(session, {
      share: known ?? new Share(),
      revision,
      pushing: Promise.resolve(),
      ids: new Set(),
      whole: true,
      snapshot: known === null,
      stale: 0,
    });
    this.#push(session);
  }

  async #read(): Promise<void> {
    const { monitors, regions, agents } = await this.#catalogue.read();
    for (const row of agents) {
      const session = this.#services.gateway().sessionOf(row.id);
      if (session?.ready === true && row.session_id !== session.id) await this.#closeIfNotOurs(session);
    }
    for (const [session, line] of this.#lines) {
      const { region } = session.agent;
      if (regions.has(region)) {
        this.#push(session);
        continue;
      }
      const own = monitors.filter(id => line.share.held.has(id) || this.#catalogue.isOwnedBy(id, session.agent));
      if (own.length > 0) this.#push(session, own);
    }
  }

  /** The row may have been read before this very session was written: only a reading that is younger than it decides. */
  async #closeIfNotOurs(session: AgentSession): Promise<void> {
    const row = await findSession(sqlOf(this.#services.pool), session.agent.id);
    if (row !== null && row.session_id !== session.id) session.close(row.revoked ? 'revoked' : 'replaced');
  }

  /** With `ids` a change costs what changed; without, the whole share is planned again. */
  #push(session: AgentSession, ids: readonly string[] | null = null): void {
    const line = this.#lines.get(session);
    if (line === undefined) return;
    if (ids === null) line.whole = true;
    for (const id of ids ?? []) line.ids.add(id);
    line.pushing = line.pushing.then(() => this.#send(session, line)).catch(error => this.#failed(session, error));
  }

  #failed(session: AgentSession, error: unknown): void {
    this.#services.log.warn({ err: error, agent: session.agent.id }, 'assignments could not be sent');
    session.close('goingAway');
  }

  async #send(session: AgentSession, line: Line): Promise<void> {
    if ((!line.whole && line.ids.size === 0 && !line.snapshot) || !session.ready) return;
    const { put, drop } = this.#differenceOf(session, line);
    if (put.length === 0 && drop.length === 0 && !line.snapshot) return;
    const { region } = session.agent;
    line.revision += 1;
    let mode: 'snapshot' | 'delta' = line.snapshot ? 'snapshot' : 'delta';
    line.snapshot = false;
    for (const id of drop) line.share.drop(id);
    const loaded = await this.#load(put, region);
    for (const { assignment } of loaded) line.share.put(assignment.monitor_id, assignment.config_version);
    const parts = packParts(loaded);
    for (const [index, part] of parts.entries()) {
      const more = index < parts.length - 1;
      const message = { put: part, drop: index === 0 ? drop : [], digest: line.share.digest, more };
      session.send({ type: 'assignments', mode, revision: line.revision, ...message });
      mode = 'delta';
    }
    this.#checkFresh(loaded, region);
  }

  #differenceOf({ agent }: AgentSession, line: Line): Diff {
    const ids = line.whole || line.snapshot ? null : [...line.ids];
    line.whole = false;
    line.ids.clear();
    if (ids === null) return diffAssignments(line.share.held, this.#catalogue.wantedBy(agent.id, agent.region));
    const held = new Map(
      ids.flatMap(id => (line.share.held.has(id) ? [[id, line.share.held.get(id) ?? 0] as const] : [])),
    );
    const wanted = ids.filter(id => this.#catalogue.isOwnedBy(id, agent));
    return diffAssignments(held, new Map(wanted.map(id => [id, this.#catalogue.monitor(id)?.version ?? 0])));
  }

  /** A monitor paused meanwhile is left out, its change is on the way; one that cannot be sent is left out and named. */
  async #load(ids: readonly string[], region: string): Promise<Loaded[]> {
    const loaded: Loaded[] = [];
    for (let start = 0; start < ids.length; start += assignmentsMax) {
      for (const row of await readMonitors(sqlOf(this.#services.pool), ids.slice(start, start + assignmentsMax))) {
        if (!row.regions.includes(region)) continue;
        const one = this.#prepare(row, region);
        if (one !== null) loaded.push(one);
      }
    }
    return loaded;
  }

  #prepare(row: MonitorRow, region: string): Loaded | null {
    try {
      const assignment = toAssignment(row, region, this.#services.keyring);
      const bytes = Buffer.byteLength(JSON.stringify(assignment));
      if (bytes > assignmentBytesMax) throw new RangeError(`${bytes} bytes are more than a message takes`);
      return { assignment, bytes, configuredAt: row.configured_at };
    } catch (error) {
      this.#services.log.error({ err: error, monitor: row.id }, 'a monitor cannot be given to agents');
      return null;
    }
  }

  /** What was made or changed just now is checked at once in all regions, at one instant: whoever runs it, it is stored once. */
  #checkFresh(loaded: readonly Loaded[], region: string): void {
    const since = this.#services.clock.now() - freshMs;
    for (const { assignment, configuredAt } of loaded) {
      if (configuredAt > since) this.#checkNow(assignment.monitor_id, assignment.config_version, region, configuredAt);
    }
  }

  #checkNow(monitorId: string, configVersion: number, region: string, at: number): void {
    const owner = this.#catalogue.owner(monitorId, region);
    const session = owner === null ? null : this.#services.gateway().sessionOf(owner);
    if (session === null || owner === null || !session.ready || !this.#limiter.take(owner, this.#services.clock.now()))
      return;
    session.send({ type: 'check_now', monitor_id: monitorId, config_version: configVersion, at });
  }
}

/** Parts that fit a message; at least one, also when there is nothing to put. */
function packParts(loaded: readonly Loaded[]): Assignment[][] {
  const parts: Assignment[][] = [[]];
  let held = 0;
  for (const { assignment, bytes } of loaded) {
    const last = parts.at(-1) ?? [];
    if (last.length > 0 && (last.length >= assignmentsMax || held + bytes > partBytesMax)) {
      parts.push([assignment]);
      held = bytes;
      continue;
    }
    last.push(assignment);
    held += bytes;
  }
  return parts;
}
