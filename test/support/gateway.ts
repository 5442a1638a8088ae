import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type WireResult, wireResultSchema } from '#shared/check-result.ts';
import { minuteMs } from '#shared/duration.ts';
import { newId } from '#shared/ids.ts';
import { decodeAgentMessage, encode } from '#shared/protocol/codec.ts';
import { AssignmentDigest } from '#shared/protocol/digest.ts';
import {
  type AgentMessage,
  type Assignment,
  assignmentsMax,
  type ControlMessage,
  messageBytesMax,
  subprotocol,
} from '#shared/protocol/messages.ts';

export const gatewaySecret = 'test-secret-of-an-agent';

export type GatewayOptions = {
  port?: number;
  pingMs?: number;
  announcedPingMs?: number;
  now?: () => number;
  acknowledge?: boolean;
};

type Waiter = { holds: () => boolean; resolve: () => void };

/** The control plane's end of the agents' protocol, without anything behind it. */
export class Gateway implements AsyncDisposable {
  readonly messages: AgentMessage[] = [];
  readonly results: WireResult[] = [];
  readonly assigned = new Map<string, Assignment>();
  connections = 0;
  acknowledge: boolean;
  secret = gatewaySecret;
  refuse: (result: WireResult) => string | null = () => null;
  #revision = 0;
  #socket: WebSocket | null = null;
  readonly #server: Server;
  readonly #options: GatewayOptions;
  readonly #waiters = new Set<Waiter>();
  #pinger: NodeJS.Timeout | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.acknowledge = options.acknowledge ?? true;
    this.#server = createServer();
    const sockets = new WebSocketServer({
      noServer: true,
      maxPayload: messageBytesMax,
      handleProtocols: () => subprotocol,
    });
    this.#server.on('upgrade', (request, socket, head) => {
      if (request.headers.authorization !== `Bearer ${this.secret}`)
        return socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
      sockets.handleUpgrade(request, socket, head, connected => this.#accept(connected));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get isConnected(): boolean {
    return this.#socket !== null;
  }

  listen(): Promise<void> {
    return new Promise(resolve => this.#server.listen(this.#options.port ?? 0, '127.0.0.1', resolve));
  }

  /** Resolves when the condition holds; checked after each message, connection and close. */
  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.add({ holds, resolve });
    return promise;
  }

  send(message: ControlMessage): void {
    this.#socket?.send(encode(message));
  }

  sendRaw(text: string): void {
    this.#socket?.send(text);
  }

  /** Changes the agent's assignments by a delta, in as many parts as needed. */
  assign(put: readonly Assignment[], drop: readonly string[] = []): void {
    for (const assignment of put) this.assigned.set(assignment.monitor_id, assignment);
    for (const monitorId of drop) this.assigned.delete(monitorId);
    this.#revision++;
    this.#sendParts('delta', put, drop);
  }

  /** Sends all assignments again. */
  snapshot(): void {
    this.#sendParts('snapshot', [...this.assigned.values()], []);
  }

  checkNow(assignment: Assignment, at: number): void {
    const { monitor_id, config_version } = assignment;
    this.send({ type: 'check_now', monitor_id, config_version, at, kind: 'confirm' });
  }

  ping(text = String(this.#now())): void {
    this.#socket?.ping(text);
  }

  drop(code?: number): void {
    if (code === undefined) this.#socket?.terminate();
    else this.#socket?.close(code);
  }

  of<Type extends AgentMessage['type']>(type: Type): Extract<AgentMessage, { type: Type }>[] {
    return this.messages.filter((message): message is Extract<AgentMessage, { type: Type }> => message.type === type);
  }

  resultsOf(monitorId: string): WireResult[] {
    return this.results.filter(result => result.monitor_id === monitorId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#pinger);
    this.#socket?.terminate();
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  get digest(): string {
    const digest = new AssignmentDigest();
    for (const { monitor_id, config_version } of this.assigned.values()) digest.toggle(monitor_id, config_version);
    return digest.toString();
  }

  #sendParts(mode: 'snapshot' | 'delta', put: readonly Assignment[], drop: readonly string[]): void {
    const { digest } = this;
    const parts = Math.max(1, Math.ceil(put.length / assignmentsMax));
    for (let part = 0; part < parts; part++)
      this.send({
        type: 'assignments',
        mode,
        revision: this.#revision,
        put: put.slice(part * assignmentsMax, (part + 1) * assignmentsMax),
        drop: part === 0 ? [...drop] : [],
        digest,
        more: part < parts - 1,
      });
  }

  #accept(socket: WebSocket): void {
    this.#socket?.terminate();
    this.#socket = socket;
    this.connections++;
    socket.on('message', data => this.#receive(decodeAgentMessage(data.toString())));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = null;
      this.#notifyWaiters();
    });
    clearInterval(this.#pinger);
    this.#pinger = setInterval(() => this.ping(), this.#options.pingMs ?? 15_000);
    this.#notifyWaiters();
  }

  #receive(message: AgentMessage): void {
    this.messages.push(message);
    if (message.type === 'hello') this.#welcome(message);
    if (message.type === 'results') this.#receiveResults(message);
    this.#notifyWaiters();
  }

  #welcome(hello: Extract<AgentMessage, { type: 'hello' }>): void {
    const { announcedPingMs } = this.#options;
    const announced = announcedPingMs === undefined ? {} : { ping_ms: announcedPingMs };
    this.send({ type: 'welcome', agent_id: 'agt_test', region: 'test', server_time: this.#now(), ...announced });
    if (hello.held.revision !== this.#revision || hello.held.digest !== this.digest) this.snapshot();
  }

  #receiveResults(message: Extract<AgentMessage, { type: 'results' }>): void {
    const refused: { seq: number; reason: string }[] = [];
    for (const item of message.results) {
      const result = wireResultSchema.parse(item);
      const reason = this.refuse(result);
      if (reason === null) this.results.push(result);
      else refused.push({ seq: result.seq, reason });
    }
    if (this.acknowledge) this.send({ type: 'ack', seq: message.to_seq, refused });
  }

  #notifyWaiters(): void {
    for (const waiter of this.#waiters) {
      if (!waiter.holds()) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

/** A gateway on loopback that welcomes, assigns and acknowledges. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = new Gateway(options);
  await gateway.listen();
  return gateway;
}

/** Once a minute, and not before half of one is over: what is not asked for by `check_now` does not run. */
export function rarely(): Pick<Assignment, 'interval_ms' | 'offset_ms'> {
  return { interval_ms: minuteMs, offset_ms: (Date.now() + minuteMs / 2) % minuteMs };
}

/** An assignment for tests: a GET each second, all defaults. */
export function makeAssignment(changes: Partial<Assignment> & Pick<Assignment, 'url'>): Assignment {
  return {
    monitor_id: newId('mon'),
    config_version: 1,
    method: 'GET',
    headers: {},
    body: null,
    interval_ms: 1000,
    timeout_ms: 1000,
    offset_ms: 0,
    follow_redirects: true,
    assertions: [],
    ...changes,
  };
}
