import type { SecureContext } from 'node:tls';
import WebSocket from 'ws';
import type { Logger } from '#shared/log.ts';
import { isFinal } from '#shared/protocol/close-codes.ts';
import { decodeControlMessage, encode } from '#shared/protocol/codec.ts';
import { type AgentMessage, type ControlMessage, messageBytesMax, subprotocol } from '#shared/protocol/messages.ts';
import type { ClockOffset } from './clock-offset.ts';
import { type Ending, reconnectAfterMs } from './reconnect.ts';

export type LinkOptions = {
  url: string;
  secret: string;
  trust: SecureContext;
  clock: ClockOffset;
  log: Logger;
  hello: () => Extract<AgentMessage, { type: 'hello' }>;
  /** Welcomed: messages may be sent. */
  onOpen: () => void;
  onClose: () => void;
  onMessage: (message: Exclude<ControlMessage, { type: 'welcome' | 'goaway' }>) => void;
  random?: () => number;
};

const welcomeWithinMs = 10_000;
const pingWithinMs = 45_000;
const suspectAfterMs = 20_000;

/** The one connection to the control plane: made again whenever it ends, until it is stopped. */
export class Link {
  readonly #options: LinkOptions;
  #socket: WebSocket | null = null;
  #welcomed = false;
  #failures = 0;
  #ending: Ending = { type: 'start' };
  #toldAtMs: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #stopped = false;
  #heardMs = Number.NEGATIVE_INFINITY;
  #measuring: { serverTimeMs: number; heardMs: number; sentMs: number } | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setTimeout(() => this.#connect(), reconnectAfterMs(this.#ending, this.#random()));
  }

  /** Ends the connection for good. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#socket?.close(1000);
    // A peer that does not answer the closing must not hold the program.
    const socket = this.#socket;
    setTimeout(() => socket?.terminate(), 1000).unref();
  }

  /** Drops a connection that is of no use any more; a new one is made. */
  restart(reason: string): void {
    this.#options.log.warn({ reason }, 'the connection to the control plane is dropped');
    this.#socket?.terminate();
  }

  /** False when not connected. */
  send(message: AgentMessage): boolean {
    return this.sendText(encode(message));
  }

  sendText(text: string): boolean {
    if (!this.#welcomed || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  get isDown(): boolean {
    return !this.#welcomed;
  }

  /** No sign of the control plane for longer than its pings are apart: a witness that the network may be cut. */
  isSilent(): boolean {
    return performance.now() - this.#heardMs > suspectAfterMs;
  }

  #connect(): void {
    if (this.#stopped) return;
    const { url, secret, trust } = this.#options;
    const socket = new WebSocket(connectAddress(url), subprotocol, {
      headers: { Authorization: `Bearer ${secret}` },
      maxPayload: messageBytesMax,
      perMessageDeflate: false,
      handshakeTimeout: welcomeWithinMs,
      secureContext: trust,
    } as WebSocket.ClientOptions);
    this.#socket = socket;
    this.#ending = { type: 'failed', failures: this.#failures };
    socket.on('open', () => this.#opened(socket));
    socket.on('message', (data, isBinary) => this.#heard(socket, isBinary ? null : data.toString()));
    socket.on('ping', data => this.#pinged(socket, data));
    socket.on('pong', () => this.#ponged());
    socket.on('unexpected-response', (_, response) => {
      this.#refused(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('error', error => this.#options.log.debug({ err: error }, 'the connection failed'));
    socket.on('close', code => this.#closed(code));
  }

  #opened(socket: WebSocket): void {
    socket.send(encode(this.#options.hello()));
    this.#expect(welcomeWithinMs, 'no welcome');
  }

  #heard(socket: WebSocket, text: string | null): void {
    if (socket !== this.#socket) return;
    try {
      if (text === null) throw new Error('a binary message');
      this.#take(socket, decodeControlMessage(text));
    } catch (error) {
      this.#options.log.error({ err: error }, 'the control plane sent what the agent cannot read');
      socket.close(1007);
    }
  }

  #take(socket: WebSocket, message: ControlMessage): void {
    this.#heardMs = performance.now();
    switch (message.type) {
      case 'welcome':
        return this.#welcome(socket, message);
      case 'goaway':
        return this.#goAway(socket, message);
      default:
        if (this.#welcomed) this.#options.onMessage(message);
    }
  }

  #welcome(socket: WebSocket, message: Extract<ControlMessage, { type: 'welcome' }>): void {
    const heardMs = this.#options.clock.monotonicNow();
    this.#options.clock.guess(message.server_time, heardMs);
    this.#measure(socket, message.server_time, heardMs);
    this.#welcomed = true;
    this.#failures = 0;
    this.#ending = { type: 'dropped' };
    this.#expect(pingWithinMs, 'no ping for 45 s');
    this.#options.log.info({ agentId: message.agent_id, region: message.region }, 'connected to the control plane');
    this.#options.onOpen();
  }

  #goAway(socket: WebSocket, message: Extract<ControlMessage, { type: 'goaway' }>): void {
    this.#options.log.info({ reason: message.reason, afterMs: message.after_ms }, 'told to connect again');
    this.#toldAtMs = performance.now() + message.after_ms;
    setTimeout(() => socket.close(1000), message.after_ms).unref();
  }

  /** The payload of a ping is the control plane's time; the round trip is measured at once with a ping of our own. */
  #pinged(socket: WebSocket, data: Buffer): void {
    this.#heardMs = performance.now();
    if (this.#welcomed) this.#expect(pingWithinMs, 'no ping for 45 s');
    const serverTimeMs = Number(data.toString('latin1'));
    if (data.length > 0 && Number.isFinite(serverTimeMs))
      this.#measure(socket, serverTimeMs, this.#options.clock.monotonicNow());
  }

  #measure(socket: WebSocket, serverTimeMs: number, heardMs: number): void {
    this.#measuring = { serverTimeMs, heardMs, sentMs: this.#options.clock.monotonicNow() };
    socket.ping();
  }

  #ponged(): void {
    const measuring = this.#measuring;
    this.#measuring = null;
    if (measuring === null) return;
    const roundTripMs = this.#options.clock.monotonicNow() - measuring.sentMs;
    this.#options.clock.measure(measuring.serverTimeMs, measuring.heardMs, roundTripMs);
  }

  #refused(statusCode: number): void {
    if (statusCode !== 401 && statusCode !== 403) {
      this.#options.log.warn({ statusCode }, 'the control plane refused the connection');
      return;
    }
    this.#options.log.error({ statusCode }, 'the control plane does not accept the secret: enrol the agent again');
    this.#ending = { type: 'revoked' };
  }

  #closed(code: number): void {
    clearTimeout(this.#watch);
    const wasOpen = this.#welcomed;
    this.#welcomed = false;
    this.#socket = null;
    this.#measuring = null;
    if (wasOpen) this.#options.onClose();
    if (this.#stopped) return;
    const ending = this.#endingOf(code);
    if (ending.type === 'failed') this.#failures++;
    const waitMs = reconnectAfterMs(ending, this.#random());
    this.#options.log.info({ code, waitMs }, 'not connected to the control plane');
    this.#timer = setTimeout(() => this.#connect(), waitMs);
  }

  #endingOf(code: number): Ending {
    const toldAtMs = this.#toldAtMs;
    this.#toldAtMs = null;
    if (isFinal(code)) {
      this.#options.log.error('this agent was revoked: enrol it again with a new secret');
      return { type: 'revoked' };
    }
    return toldAtMs === null ? this.#ending : { type: 'told', inMs: toldAtMs - performance.now() };
  }

  #expect(withinMs: number, reason: string): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.restart(reason), withinMs);
  }

  #random(): number {
    return (this.#options.random ?? Math.random)();
  }
}

/** Where agents connect, from the base address of the control plane. */
export function connectAddress(base: string): string {
  return `${base.replace(/^http/, 'ws').replace(/\/+$/, '')}/v0/agents/connect`;
}
