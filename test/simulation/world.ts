import type { TlsDetail } from '#shared/check-result.ts';
import { dayMs } from '#shared/duration.ts';
import { ConfigError } from '#shared/env.ts';
import type { Confirmation } from '#shared/vocabulary.ts';
import { Agent, type AgentHost } from './agent.ts';
import { Broker, type Message, type QueuedResult } from './broker.ts';
import { Database } from './database.ts';
import { Gateway } from './gateway.ts';
import { Ledger } from './ledger.ts';
import type { Mutation } from './mutation.ts';
import { Network } from './network.ts';
import { Process } from './process.ts';
import { Random } from './random.ts';
import type { Rows } from './rows.ts';
import type { Scenario } from './scenario.ts';
import type { Socket } from './socket.ts';
import { SpoolDisk } from './spool-disk.ts';
import { type Finding, Targets } from './targets.ts';
import { VirtualTime } from './virtual-time.ts';
import { startWorker } from './worker.ts';

const startMs = 1_800_000_000_000;
const handshakeMs = 10_000;
const restartMs = 2000;

const [expiring, lasting] = [3, 80].map(daysLeft => certificate(daysLeft)) as [TlsDetail, TlsDetail];

function certificate(daysLeft: number): TlsDetail {
  const [from, to] = [daysLeft - 90, daysLeft].map(days => new Date(startMs + days * dayMs).toISOString());
  return {
    protocol: 'TLSv1.3',
    valid_from: from,
    valid_to: to ?? '',
    days_left: daysLeft,
    issuer: 'CA',
    subject: 'target',
    fingerprint_sha256: String(daysLeft).padStart(64, '0'),
  };
}

export type WorldOptions = {
  mutation: Mutation | null;
  /** Receives what happens, as text for people. */
  trace: ((line: string) => void) | null;
  onCommit: (world: World) => void;
};

/** Everything of one simulation: machines, processes that run on them now, network, stores and services. */
export class World {
  readonly scenario: Scenario;
  readonly mutation: Mutation | null;
  readonly startMs = startMs;
  readonly time = new VirtualTime(startMs);
  readonly random: Random;
  readonly network: Network;
  readonly database: Database;
  readonly broker: Broker;
  readonly ledger: Ledger;
  readonly targets: Targets;
  readonly agents = new Map<string, Agent>();
  readonly gateways = new Map<string, Gateway>();
  readonly processes = new Map<string, Process>();
  readonly hosts = new Map<string, AgentHost>();
  readonly isolated = new Map<string, number>();
  /** When fronts heard a job, whatever became of it, and signals that one said it has taken. */
  /** Times in which no front ran. */
  readonly unattended: { from: number; until: number }[] = [];
  readonly heard: { monitorId: string; at: number }[] = [];
  readonly taken: { monitorId: string; at: number; key: string }[] = [];
  /** Aborts when the simulation is over: Node keeps what waits for a signal for as long as it may abort. */
  readonly over = new AbortController();
  readonly #starts = new Map<string, number>();
  readonly #trace: WorldOptions['trace'];

  constructor(scenario: Scenario, { mutation, trace, onCommit }: WorldOptions) {
    const { seed } = scenario;
    this.scenario = scenario;
    this.mutation = mutation;
    this.#trace = trace;
    this.random = new Random(seed, 'processes');
    this.network = new Network(this.time, new Random(seed, 'network'));
    this.database = new Database(this.time, new Random(seed, 'database'), () => onCommit(this));
    this.database.rows.hasAlertIndex = mutation !== 'no index of unresolved alerts';
    const isKept = (key: string) => this.isStored(key) || this.broker.keeps(key);
    const watch = {
      onQueued: (process: Process, results: readonly QueuedResult[]) => this.ledger.queued(process.id, results),
      onForgotten: (message: Message) => this.ledger.forgotten(message, this.isStored),
    };
    this.broker = new Broker(this.time, new Random(seed, 'broker'), scenario.streams, watch, mutation);
    this.ledger = new Ledger(isKept, () => {
      this.time.halted = true;
    });
    const absolute = <Span extends { from: number; until: number }>(spans: readonly Span[]) =>
      spans.map(span => ({ ...span, from: startMs + span.from, until: startMs + span.until }));
    const [outages, expiries] = [absolute(scenario.outages), absolute(scenario.expiries)];
    this.targets = new Targets(new Random(seed, 'targets'), outages, expiries);
    for (const { id, region, spoolBytesMax, isOld } of scenario.agents) {
      const disk = new SpoolDisk(this.time, (rows, freedUpTo) => this.ledger.deleted(id, rows, freedUpTo));
      this.hosts.set(id, { id, region, disk, spoolBytesMax, isOld, random: new Random(seed, id) });
    }
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.time.now - startMs;
  }

  note(what: () => string): void {
    this.#trace?.(`${(this.elapsedMs / 1000).toFixed(3).padStart(8)} ${what()}`);
  }

  run(untilMs: number): Promise<void> {
    return this.time.run(startMs + untilMs);
  }

  isStored = (key: string): boolean => this.database.rows.results.get(key) !== undefined;

  /** Starts a process of an agent's machine, a gateway or a worker. */
  start(name: string): void {
    if (this.processes.get(name)?.alive === true) return;
    const process = new Process(name, this.time);
    this.processes.set(name, process);
    this.note(() => `${name} starts`);
    const count = (this.#starts.get(name) ?? 0) + 1;
    this.#starts.set(name, count);
    const host = this.hosts.get(name);
    if (host !== undefined) this.#startAgent(process, host);
    else if (this.scenario.gateways.includes(name))
      this.gateways.set(name, new Gateway(this, process, `${name}.${count}`));
    else startWorker(this, process, `${name}.${count}`);
  }

  /** An agent whose disk cannot be written ends at once, and is started again. */
  #startAgent(process: Process, host: AgentHost): void {
    try {
      this.agents.set(host.id, new Agent(this, process, host));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      process.kill();
      this.time.after(restartMs, () => this.start(host.id));
    }
  }

  /** A socket to some gateway, as a balancer chooses it. It is open once that has admitted the agent. */
  dial(process: Process, host: AgentHost): Socket {
    const { region } = host;
    const running = [...this.gateways.values()].filter(gateway => gateway.process.alive);
    const gateway = running.length === 0 ? null : this.random.pick(running);
    const { client, accepted } = this.network.pair(process, gateway?.process ?? process, region);
    client.connectWithin(handshakeMs);
    if (gateway === null) this.network.later(region, () => process.reach(() => client.terminate()));
    else this.network.later(region, () => gateway.process.reach(() => void gateway.admit(host, client, accepted)));
    return client;
  }

  /** What a check finds now; while a region is cut off from everything, its agents' own network is to blame. */
  probe(region: string, monitorId: string, timeoutMs: number): Finding {
    if ((this.isolated.get(region) ?? 0) > this.time.now) return { lastsMs: timeoutMs, failure: 'probe' };
    return this.targets.find(monitorId, region, this.time.now, timeoutMs);
  }

  /** The certificate that a check sees now; null without one. */
  certificateOf(monitorId: string): TlsDetail | null {
    const plan = this.scenario.monitors.find(({ id }) => id === monitorId);
    if (plan?.isSecure !== true) return null;
    return this.targets.expiresSoon(monitorId, this.time.now) ? expiring : lasting;
  }

  /** NOTIFY: every gateway reads the configuration. */
  notifyConfig(): void {
    if (this.mutation !== 'owners are not told') this.#tellGateways(gateway => void gateway.refresh());
  }

  /** NOTIFY: every gateway asks its agents of other regions to check. */
  confirm(confirmations: readonly Confirmation[]): void {
    if (confirmations.length > 0) this.#tellGateways(({ distributor }) => distributor.confirm(confirmations));
  }

  async changeRoster(process: Process, change: (rows: Rows) => boolean): Promise<void> {
    if (await this.database.transact(process, change)) this.notifyConfig();
  }

  #tellGateways(tell: (gateway: Gateway) => void): void {
    for (const gateway of this.gateways.values())
      this.time.after(this.random.between(1, 20), () => gateway.process.reach(() => tell(gateway)));
  }
}
