import WebSocket from 'ws';
import type { Logger } from '#shared/log.ts';
import { isFinal } from '#shared/protocol/close-codes.ts';
import { decodeControlMessage, encode } from '#shared/protocol/codec.ts';
import type { AgentMessage, ControlMessage } from '#shared/protocol/messages.ts';
import { processTimers, type Timer, type Timers } from '#shared/timers.ts';
import type { ClockOffset } from './clock-offset.ts';
import { type Dial, openSocket } from './open-socket.ts';
import { PingWatch } from './ping-watch.ts';
import { type Ending, reconnectAfterMs } from './reconnect.ts';

export type LinkOptions = Dial & {
  clock: ClockOffset;
  log: Logger;
  hello: () => Extract<AgentMessage, { type: 'hello' }>;
  /** The control plane has sent `welcome`: messages may be sent. */
  onOpen: () => void;
  /** A welcomed connection has ended. */
  onClose: () => void;
  onMessage: (message: Exclude<ControlMessage, { type: 'welcome' | 'goaway' }>) => void;
  random?: () => number;
  timers?: Timers;
  /** Opens a socket; by default a WebSocket to `url`. */
  connect?: () => WebSocket;
};

const welcomeWithinMs = 10_000;
const silentAfterMs = 20_000;

/** The agent's connection to the control plane. Reconnects whenever it ends, until `stop()`. */
export class Link {
  readonly #options: LinkOptions;
  readonly #timers: Timers;
  #socket: WebSocket | null = null;
  #welcomed = false;
  #failures = 0;
  #ending: Ending = { type: 'start' };
  #reconnectAtMs: number | null = null;
  #timer: Timer | undefined;
  #watchdog: Timer | undefined;
  #stopped = false;
  #lastReceivedMs = Number.NEGATIVE_INFINITY;
  #pings = new PingWatch();
  #measurement: { serverTimeMs: number; receivedMs: number; pingSentMs: number } | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#timers = options.timers ?? processTimers;
  }

  /** Connects; `onOpen` is called once the control plane has welcomed the agent. */
  start(): void {
    this.#timer = this.#timers.after(reconnectAfterMs(this.#ending, this.#random()), () => this.#connect());
  }

  /** Closes the connection and does not reconnect. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#socket?.close(1000);
    // A peer that does not complete the close handshake must not keep the process alive.
    const socket = this.#socket;
    this.#timers.after(1000, () => socket?.terminate(), { ref: false });
  }

  /** Terminates a connection that is no longer useful; a new one follows. `reason` is logged. */
  reconnect(reason: string): void {
    this.#options.log.warn({ reason }, 'dropping the connection to the control plane');
    this.#socket?.terminate();
  }

  /** Sends a message; false if not connected, and then the message is not sent. */
  send(message: AgentMessage): boolean {
    return this.sendText(encode(message));
  }

  /** Like `send`, for a message that is already encoded. */
  sendText(text: string): boolean {
    if (!this.#welcomed || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  /** True unless connected and welcomed. */
  get isDown(): boolean {
    return !this.#welcomed;
  }

  /** True if nothing came from the control plane for 20 s, longer than its ping interval: the network may be down. */
  isSilent(): boolean {
    return this.#timers.now() - this.#lastReceivedMs > silentAfterMs;
  }

  #connect(): void {
    if (this.#stopped) return;
    const socket = this.#options.connect?.() ?? openSocket(this.#options, welcomeWithinMs);
    this.#socket = socket;
    this.#ending = { type: 'failed', failures: this.#failures };
    socket.on('open', () => this.#onOpen(socket));
    socket.on('message', (data, isBinary) => this.#onText(socket, isBinary ? null : data.toString()));
    socket.on('ping', data => this.#onPing(socket, data));
    socket.on('pong', () => this.#onPong());
    socket.on('unexpected-response', (_, response) => {
      this.#onRefused(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('error', error => this.#options.log.debug({ err: error }, 'connection error'));
    socket.on('close', code => this.#onClosed(code));
  }

  #onOpen(socket: WebSocket): void {
    socket.send(encode(this.#options.hello()));
    this.#expectMessage(welcomeWithinMs, 'no welcome within 10 s');
  }

  #onText(socket: WebSocket, text: string | null): void {
    if (socket !== this.#socket) return;
    try {
      if (text === null) throw new Error('binary message');
      this.#dispatch(socket, decodeControlMessage(text));
    } catch (error) {
      this.#options.log.error({ err: error }, 'received a message this agent cannot read');
      socket.close(1007);
    }
  }

  #dispatch(socket: WebSocket, message: ControlMessage): void {
    this.#lastReceivedMs = this.#timers.now();
    switch (message.type) {
      case 'welcome':
        return this.#onWelcome(socket, message);
      case 'goaway':
        return this.#onGoaway(socket, message);
      default:
        if (this.#welcomed) this.#options.onMessage(message);
    }
  }

  #onWelcome(socket: WebSocket, message: Extract<ControlMessage, { type: 'welcome' }>): void {
    const receivedMs = this.#options.clock.monotonicNow();
    this.#options.clock.guess(message.server_time, receivedMs);
    this.#measure(socket, message.server_time, receivedMs);
    this.#welcomed = true;
    this.#failures = 0;
    this.#ending = { type: 'dropped' };
    this.#pings = new PingWatch(message.ping_ms ?? null);
    this.#expectPing();
    this.#options.log.info({ agentId: message.agent_id, region: message.region }, 'connected to the control plane');
    this.#options.onOpen();
  }

  #onGoaway(socket: WebSocket, message: Extract<ControlMessage, { type: 'goaway' }>): void {
    this.#options.log.info(
      { reason: message.reason, afterMs: message.after_ms },
      'the control plane asked this agent to reconnect',
    );
    this.#reconnectAtMs = this.#timers.now() + message.after_ms;
    this.#timers.after(message.after_ms, () => socket.close(1000), { ref: false });
  }

  /** The payload of a ping is the control plane's time. A ping in reply measures the round trip immediately. */
  #onPing(socket: WebSocket, data: Buffer): void {
    this.#lastReceivedMs = this.#timers.now();
    if (this.#welcomed) {
      this.#pings.note(this.#lastReceivedMs);
      this.#expectPing();
    }
    const serverTimeMs = Number(data.toString('latin1'));
    if (data.length > 0 && Number.isFinite(serverTimeMs))
      this.#measure(socket, serverTimeMs, this.#options.clock.monotonicNow());
  }

  #measure(socket: WebSocket, serverTimeMs: number, receivedMs: number): void {
    this.#measurement = { serverTimeMs, receivedMs, pingSentMs: this.#options.clock.monotonicNow() };
    socket.ping();
  }

  #onPong(): void {
    const measurement = this.#measurement;
    this.#measurement = null;
    if (measurement === null) return;
    const roundTripMs = this.#options.clock.monotonicNow() - measurement.pingSentMs;
    this.#options.clock.measure(measurement.serverTimeMs, measurement.receivedMs, roundTripMs);
  }

  #onRefused(statusCode: number): void {
    if (statusCode !== 401 && statusCode !== 403) {
      this.#options.log.warn({ statusCode }, 'the control plane refused the connection');
      return;
    }
    this.#options.log.error(
      { statusCode },
      'the control plane rejected the secret of this agent; enroll the agent again',
    );
    this.#ending = { type: 'revoked' };
  }

  #onClosed(code: number): void {
    this.#watchdog?.cancel();
    const wasOpen = this.#welcomed;
    this.#welcomed = false;
    this.#socket = null;
    this.#measurement = null;
    if (wasOpen) this.#options.onClose();
    if (this.#stopped) return;
    const ending = this.#endingOf(code);
    if (ending.type === 'failed') this.#failures++;
    const waitMs = reconnectAfterMs(ending, this.#random());
    this.#options.log.info({ code, waitMs }, 'disconnected from the control plane; reconnecting after waitMs');
    this.#timer = this.#timers.after(waitMs, () => this.#connect());
  }

  #endingOf(code: number): Ending {
    const reconnectAtMs = this.#reconnectAtMs;
    this.#reconnectAtMs = null;
    if (isFinal(code)) {
      this.#options.log.error('this agent was revoked; enroll it again to get a new secret');
      return { type: 'revoked' };
    }
    return reconnectAtMs === null ? this.#ending : { type: 'goaway', inMs: reconnectAtMs - this.#timers.now() };
  }

  #expectPing(): void {
    const { patienceMs } = this.#pings;
    const seconds = Math.round(patienceMs / 1000);
    this.#expectMessage(patienceMs, `no ping for ${seconds} s`);
  }

  #expectMessage(withinMs: number, reason: string): void {
    this.#watchdog?.cancel();
    this.#watchdog = this.#timers.after(withinMs, () => this.reconnect(reason));
  }

  #random(): number {
    return (this.#options.random ?? Math.random)();
  }
}
