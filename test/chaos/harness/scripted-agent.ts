import WebSocket from 'ws';
import type { WireResult } from '#shared/check-result.ts';
import { subprotocol } from '#shared/protocol/messages.ts';
import type { Sent } from '../../bench/load/protocol.ts';
import { blankResult } from '../../support/fake-agent.ts';

type Waiting = { results: readonly Partial<WireResult>[]; sent: Sent };

const reconnectMs = 200;
const handshakeMs = 5000;
const hello = JSON.stringify({
  type: 'hello',
  protocol: 1,
  version: 'script',
  boot_id: 'script',
  held: { revision: 0, digest: '' },
  spool: { count: 0, bytes: 0, dropped: 0 },
});

/** An agent that reports what it is given, in order, and keeps it until it is acknowledged, as a spool does. */
export class ScriptedAgent {
  readonly ledger: Sent[] = [];
  refused = 0;
  readonly #address: string;
  readonly #secret: string;
  readonly #region: string;
  readonly #waiting: Waiting[] = [];
  #socket: WebSocket | null = null;
  #seq = 0;
  /** The last sequence number of the message under way; one at a time. */
  #underWay: number | null = null;
  #stopped = false;

  constructor(url: string, region: string, secret: string) {
    this.#address = `${url.replace(/^http/, 'ws')}/v0/agents/connect`;
    this.#region = region;
    this.#secret = secret;
    this.#connect();
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** The results of one slot, which no other call may repeat. */
  report(scheduledAt: number, results: readonly Partial<WireResult>[]): void {
    const sent = { region: this.#region, scheduledAt, count: results.length, acknowledged: false };
    this.ledger.push(sent);
    this.#waiting.push({ results, sent });
    this.#sendNext();
  }

  stop(): void {
    this.#stopped = true;
    this.#socket?.terminate();
  }

  #connect(): void {
    const headers = { authorization: `Bearer ${this.#secret}` };
    const socket = new WebSocket(this.#address, subprotocol, { headers, handshakeTimeout: handshakeMs });
    socket.on('open', () => socket.send(hello));
    socket.on('message', data => this.#receive(socket, String(data)));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#socket = null;
      if (!this.#stopped) setTimeout(() => this.#connect(), reconnectMs);
    });
  }

  #receive(socket: WebSocket, text: string): void {
    const message = JSON.parse(text) as { type: string; seq: number; refused: unknown[] };
    if (message.type === 'welcome') {
      this.#socket = socket;
      this.#underWay = null;
      this.#sendNext();
    }
    if (message.type !== 'ack' || this.#underWay === null || message.seq < this.#underWay) return;
    const done = this.#waiting.shift();
    if (done !== undefined) done.sent.acknowledged = true;
    this.refused += message.refused.length;
    this.#underWay = null;
    this.#sendNext();
  }

  #sendNext(): void {
    const [next] = this.#waiting;
    if (next === undefined || this.#socket === null || this.#underWay !== null) return;
    const from = this.#seq + 1;
    const results = next.results.map(result => ({ ...blankResult, ...result, seq: ++this.#seq }));
    this.#underWay = this.#seq;
    this.#socket.send(JSON.stringify({ type: 'results', from_seq: from, to_seq: this.#seq, results }), {
      binary: false,
    });
  }
}
