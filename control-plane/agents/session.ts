import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { closeCodes } from '#shared/protocol/close-codes.ts';
import { decodeAgentMessage, encode, ProtocolError } from '#shared/protocol/codec.ts';
import type { AgentMessage, ControlMessage } from '#shared/protocol/messages.ts';
import type { AgentSession, AgentStages } from './stages.ts';
import type { EnrolledAgent, Vitals } from './store.ts';

export type SessionServices = {
  clock: Clock;
  log: Logger;
  stages: AgentStages;
  /** Tells the database who is here; false when the agent was revoked meanwhile. */
  connect(agentId: string, sessionId: string, version: string): Promise<boolean>;
};

const pingMs = 15_000;
const deadMs = 45_000;
const helloMs = 10_000;
const periodMinMs = 100;
const missedSlotsMax = 1_000_000;
const bufferedBytesMax = 32 * 1024 * 1024;

type Hello = Extract<AgentMessage, { type: 'hello' }>;
type VitalsMessage = Extract<AgentMessage, { type: 'vitals' }>;

/** One connected agent, from hello to close. */
export class Session implements AgentSession {
  readonly id = randomUUID();
  readonly agent: EnrolledAgent;
  readonly #socket: WebSocket;
  readonly #services: SessionServices;
  readonly #timers: NodeJS.Timeout[] = [];
  #hello: Hello | null = null;
  #ready = false;
  #closed = false;
  #heardAt: number;
  #acks: Promise<void> = Promise.resolve();
  #vitals: VitalsMessage | null = null;
  #missedSlots = 0;

  constructor(socket: WebSocket, agent: EnrolledAgent, services: SessionServices) {
    this.agent = agent;
    this.#socket = socket;
    this.#services = services;
    this.#heardAt = performance.now();
    socket.on('message', (data, isBinary) => this.#receive(String(data), isBinary));
    socket.on('pong', () => this.#hear());
    socket.on('ping', () => this.#hear());
    socket.on('error', error => services.log.debug({ err: error, agent: agent.id }, 'agent socket failed'));
    this.#timers.push(setTimeout(() => this.#hello ?? this.close('noHello'), helloMs));
    this.#timers.push(setInterval(() => this.#ping(), pingMs));
  }

  /** What the agent held when it said hello. */
  get held(): Hello['held'] {
    return this.#hello?.held ?? { revision: 0, digest: '' };
  }

  /** True once the agent said hello and is known to the database, until the socket closes. */
  get ready(): boolean {
    return this.#ready && !this.#closed;
  }

  send(message: ControlMessage): void {
    if (this.#closed) return;
    if (this.#socket.bufferedAmount > bufferedBytesMax) return this.close('tooSlow');
    this.#socket.send(encode(message));
  }

  close(reason: keyof typeof closeCodes): void {
    if (this.#closed) return;
    this.#socket.close(closeCodes[reason], reason);
    // A peer that does not answer the close must not keep the socket.
    this.#timers.push(setTimeout(() => this.#socket.terminate(), 2000));
  }

  /** To be called once when the socket is gone. */
  end(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#services.stages.disconnected(this);
  }

  /** Vitals for the next heartbeat; counters start again. */
  takeVitals(): Vitals {
    const missedSlots = Math.min(this.#missedSlots, missedSlotsMax);
    this.#missedSlots = 0;
    const last = this.#vitals;
    return {
      agentId: this.agent.id,
      sessionId: this.id,
      clockOffsetMs: last?.clock_offset_ms ?? null,
      assignments: last?.assignments ?? 0,
      checksPerSecond:
        last === null || last.period_ms < periodMinMs ? 0 : Math.round((last.checks * 100_000) / last.period_ms) / 100,
      queueDepth: last?.queue_depth ?? 0,
      missedSlots,
    };
  }

  #hear(): void {
    this.#heardAt = performance.now();
  }

  /** The payload is our time: the agent measures its clock with it. */
  #ping(): void {
    if (this.#socket.isPaused) this.#hear();
    if (performance.now() - this.#heardAt > deadMs) return this.#socket.terminate();
    this.#socket.ping(String(this.#services.clock.now()));
  }

  #receive(data: string, isBinary: boolean): void {
    this.#hear();
    try {
      if (isBinary) throw new ProtocolError('binary message');
      this.#handle(decodeAgentMessage(data));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#services.log.warn({ agent: this.agent.id, reason: error.message }, 'malformed message from an agent');
      this.close('malformed');
    }
  }

  #handle(message: AgentMessage): void {
    if (message.type !== 'hello' && this.#hello === null) throw new ProtocolError('no hello');
    switch (message.type) {
      case 'hello':
        return void this.#welcome(message);
      case 'applied':
        return this.#services.stages.applied(this, message.revision, message.digest);
      case 'results':
        return void this.#record(message.to_seq, message.results);
      case 'vitals':
        this.#vitals = message;
        this.#missedSlots += Object.values(message.missed).reduce((sum, count) => sum + count, 0);
        return;
      default:
        return message satisfies never;
    }
  }

  async #welcome(hello: Hello): Promise<void> {
    if (this.#hello !== null) return this.close('malformed');
    this.#hello = hello;
    const { clock, log, stages } = this.#services;
    try {
      if (!(await this.#services.connect(this.agent.id, this.id, hello.version))) return this.close('revoked');
    } catch (error) {
      log.warn({ err: error, agent: this.agent.id }, 'agent could not be welcomed');
      return this.close('goingAway');
    }
    if (this.#closed) return;
    this.#ready = true;
    this.send({ type: 'welcome', agent_id: this.agent.id, region: this.agent.region, server_time: clock.now() });
    this.#socket.ping(String(clock.now()));
    log.info({ agent: this.agent.id, region: this.agent.region, version: hello.version }, 'agent connected');
    stages.connected(this);
  }

  /** Acknowledges in the order of arrival, each only after its commit; `ack` is cumulative. */
  #record(toSeq: number, results: readonly unknown[]): void {
    const outcome = this.#services.stages.reported(this, results);
    // Its own turn handles it; until then a refusal must not count as unhandled.
    outcome.catch(() => {});
    this.#acks = this.#acks.then(async () => {
      const reasons = await outcome;
      const refused = results.flatMap((result, place) => {
        const reason = reasons[place] ?? null;
        const seq = (result as { seq?: unknown } | null)?.seq;
        return reason !== null && Number.isSafeInteger(seq) ? [{ seq: seq as number, reason }] : [];
      });
      this.send({ type: 'ack', seq: toSeq, refused });
    });
    this.#acks = this.#acks.catch(() => this.close('goingAway'));
    const room = this.#services.stages.room();
    if (room === null) return;
    this.#socket.pause();
    void room.then(() => this.#socket.resume());
  }
}
