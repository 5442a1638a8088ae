import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { closeCodes } from '#shared/protocol/close-codes.ts';
import { decodeAgentMessage, encode, ProtocolError } from '#shared/protocol/codec.ts';
import { type AgentMessage, type ControlMessage, helloBytesMax } from '#shared/protocol/messages.ts';
import { processTimers, type Timer, type Timers } from '#shared/timers.ts';
import type { Vitals } from './heartbeat-store.ts';
import type { AgentSession, AssignmentHooks, ProbeHooks, ResultHooks } from './hooks.ts';
import type { ReadBudget } from './read-budgets.ts';
import { refusedOf } from './refused-results.ts';
import { ReportedVitals } from './reported-vitals.ts';
import type { AdmittedAgent } from './store.ts';

export type SessionServices = {
  clock: Clock;
  log: Logger;
  assignments: AssignmentHooks;
  results: ResultHooks;
  /** Registers the session and records it in the database; false if the agent was revoked meanwhile. */
  connect(agentId: string, sessionId: string, hello: Hello): Promise<boolean>;
  probes: ProbeHooks;
  timers?: Timers;
};

/** Agents give up a connection after twelve seconds without a ping: within the life of their votes. */
const [pingMs, deadMs, helloMs] = [5000, 20_000, 10_000];
const malformedInRowMax = 1000;
const bufferedBytesMax = 32 * 1024 * 1024;
/** An acknowledgement is 40 bytes: a peer with this much unread does not read. */
const [unreadBytesMax, unreadLookMs] = [1024 * 1024, 250];

type Hello = Extract<AgentMessage, { type: 'hello' }>;

/** One connected agent, from hello to close. */
export class Session implements AgentSession {
  readonly id = randomUUID();
  readonly agent: AdmittedAgent;
  readonly #socket: WebSocket;
  readonly #services: SessionServices;
  readonly #timers: Timers;
  readonly #running: Timer[] = [];
  #hello: Hello | null = null;
  #ready = false;
  #closed = false;
  #heardAt: number;
  #acks: Promise<void> = Promise.resolve();
  readonly #vitals = new ReportedVitals();
  #pingedAt: number;
  readonly #budget: ReadBudget;
  #pauses = 0;
  /** A ping that came while nothing is read. */
  #unanswered: Buffer | null = null;
  #malformedInRow = 0;

  constructor(socket: WebSocket, agent: AdmittedAgent, budget: ReadBudget, services: SessionServices) {
    this.agent = agent;
    this.#budget = budget;
    this.#socket = socket;
    this.#services = services;
    this.#timers = services.timers ?? processTimers;
    this.#heardAt = this.#timers.now();
    this.#pingedAt = this.#heardAt;
    socket.on('message', (data, isBinary) => this.#receive(String(data), isBinary));
    socket.on('pong', data => this.#hearFrame(data.length));
    socket.on('ping', data => this.#answerPing(data));
    socket.on('error', error => services.log.debug({ err: error, agent: agent.id }, 'agent socket failed'));
    this.#running.push(this.#timers.after(helloMs, () => this.#hello ?? this.close('noHello')));
    this.#running.push(this.#timers.every(pingMs, () => this.#ping()));
  }

  get held(): Hello['held'] {
    return this.#hello?.held ?? { revision: 0, digest: '' };
  }

  get capabilities(): readonly string[] {
    return this.#hello?.capabilities ?? [];
  }

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
    this.#running.push(this.#timers.after(2000, () => this.#socket.terminate()));
  }

  /** To be called once when the socket is gone. */
  end(): void {
    this.#closed = true;
    for (const timer of this.#running) timer.cancel();
    this.#services.assignments.disconnected(this);
  }

  takeVitals(): Vitals {
    return { agentId: this.agent.id, sessionId: this.id, ...this.#vitals.take(this.#hello?.spool) };
  }

  putBackVitals(vitals: Vitals): void {
    this.#vitals.putBack(vitals);
  }

  #hear(): void {
    this.#heardAt = this.#timers.now();
  }

  /**
   * A frame is charged before it is looked at, those of the protocol below as messages: a flood waits in the sender.
   * What an earlier connection owes is owed by this one.
   */
  #hearFrame(bytes: number): void {
    this.#hear();
    this.#stopReadingFor(this.#budget.message(bytes, this.#timers.now()));
  }

  /** Of many pings that came at once the last is answered, when reading goes on: RFC 6455 §5.5.3 allows it. */
  #answerPing(data: Buffer): void {
    this.#hearFrame(data.length);
    if (this.#pauses > 0) this.#unanswered = Buffer.from(data);
    else this.#pong(data);
  }

  /** Not to a peer that does not read: answers would pile up. */
  #pong(data: Buffer): void {
    this.#unanswered = null;
    if (this.#socket.bufferedAmount <= unreadBytesMax) this.#socket.pong(data);
  }

  /** The payload is our time: the agent measures its clock with it. */
  #ping(): void {
    // We do not hear what we do not read, nor what came while the process stood still.
    const nowMs = this.#timers.now();
    if (this.#socket.isPaused || nowMs - this.#pingedAt > 2 * pingMs) this.#hear();
    this.#pingedAt = nowMs;
    if (nowMs - this.#heardAt > deadMs) return this.#socket.terminate();
    this.#socket.ping(String(this.#services.clock.now()));
  }

  #receive(data: string, isBinary: boolean): void {
    const bytes = Buffer.byteLength(data);
    this.#hearFrame(bytes);
    try {
      if (isBinary) throw new ProtocolError('binary message');
      if (this.#hello === null && bytes > helloBytesMax) throw new ProtocolError('no hello');
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
        return this.#services.assignments.applied(this, message.revision, message.digest);
      case 'results':
        return void this.#record(message.to_seq, message.results);
      case 'vitals':
        return this.#vitals.add(message);
      case 'probed':
        return this.#services.probes.probed(this, message);
      default:
        return message satisfies never;
    }
  }

  async #welcome(hello: Hello): Promise<void> {
    if (this.#hello !== null) return this.close('malformed');
    this.#hello = hello;
    const { clock, log, assignments } = this.#services;
    try {
      if (!(await this.#services.connect(this.agent.id, this.id, hello))) return this.close('revoked');
    } catch (error) {
      log.warn({ err: error, agent: this.agent.id }, 'agent could not be welcomed');
      return this.close('goingAway');
    }
    if (this.#closed) return;
    this.#ready = true;
    const { id, region } = this.agent;
    // It sends again what was not acknowledged: not into a queue that is full of it.
    if (this.#services.results.full(id)) this.#stopReadingUntil(this.#services.results.drained(id));
    this.send({ type: 'welcome', agent_id: id, region, server_time: clock.now(), ping_ms: pingMs });
    this.#socket.ping(String(clock.now()));
    log.info({ agent: this.agent.id, region: this.agent.region, version: hello.version }, 'agent connected');
    assignments.connected(this);
  }

  /** Acknowledges in the order of arrival, each message only after its commit; `ack` is cumulative. */
  #record(toSeq: number, results: readonly unknown[]): void {
    const { results: recorder } = this.#services;
    this.#stopReadingFor(this.#budget.results(results.length, this.#timers.now()));
    const { id: agentId, region, isPrivate } = this.agent;
    const refusals = recorder.recordReported({ agentId, region, isPrivate }, results);
    // The chain below handles a rejection in its turn; until then it must not count as unhandled.
    refusals.catch(() => {});
    this.#acks = this.#acks
      .then(async () => this.#acknowledge(toSeq, results, await refusals))
      .catch(() => this.close('goingAway'));
    if (recorder.full(agentId)) this.#stopReadingUntil(recorder.drained(agentId));
  }

  #acknowledge(toSeq: number, results: readonly unknown[], refusals: readonly (string | null)[]): void {
    this.send({ type: 'ack', seq: toSeq, refused: refusedOf(results, refusals) });
    for (const refusal of refusals) this.#malformedInRow = refusal === 'malformed' ? this.#malformedInRow + 1 : 0;
    if (this.#malformedInRow >= malformedInRowMax) return this.close('malformed');
    if (this.#socket.bufferedAmount > unreadBytesMax && this.#pauses === 0) this.#stopReadingUntil(this.#read());
  }

  /** Resolves when the peer has read most of what was sent; one that does not read is dropped. */
  async #read(): Promise<void> {
    let unread = this.#socket.bufferedAmount;
    let deadline = this.#timers.now() + deadMs;
    while (!this.#closed && this.#socket.bufferedAmount > unreadBytesMax) {
      if (this.#timers.now() > deadline) return this.#socket.terminate();
      await this.#timers.wait(unreadLookMs, { ref: false });
      if (this.#socket.bufferedAmount < unread) deadline = this.#timers.now() + deadMs;
      unread = this.#socket.bufferedAmount;
    }
  }

  #stopReadingFor(ms: number): void {
    if (ms > 0) this.#stopReadingUntil(this.#timers.wait(ms, { ref: false }));
  }

  /** Several reasons to wait may hold at once: the socket is read again when none is left. */
  #stopReadingUntil(ready: Promise<void>): void {
    this.#pauses += 1;
    this.#socket.pause();
    void ready.finally(() => {
      this.#pauses -= 1;
      if (this.#pauses > 0) return;
      this.#socket.resume();
      if (this.#unanswered !== null && !this.#closed) this.#pong(this.#unanswered);
    });
  }
}
