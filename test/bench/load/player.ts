import WebSocket from 'ws';
import { subprotocol } from '#shared/protocol/messages.ts';
import { firstSeq, type MessageTemplate, makeTemplate, stamp } from './message-template.ts';
import type { LoadPlan, Sent } from './protocol.ts';

type InFlight = { template: MessageTemplate; toSeq: number; sent: Sent };

const inFlightMax = 4;
const reconnectMs = 100;
const helloText = JSON.stringify({
  type: 'hello',
  protocol: 1,
  version: 'load',
  boot_id: 'load',
  held: { revision: 0, digest: '' },
  spool: { count: 0, bytes: 0, dropped: 0 },
});

/**
 * An agent that checks nothing: sends prepared messages, four ahead of their acknowledgement, and repeats them on
 * reconnect.
 */
export class Player {
  readonly ledger: Sent[] = [];
  acknowledged = 0;
  refused = 0;
  connections = 0;
  sending = false;
  readonly #options: { url: string; secret: string; region: string; nextSlot: () => number; everyMs: number };
  readonly #templates: MessageTemplate[] = [];
  #next = 0;
  #seq = firstSeq;
  #inFlight: InFlight[] = [];
  #socket: WebSocket | null = null;
  #dueAt = 0;

  constructor(plan: LoadPlan, agent: LoadPlan['agents'][number], salt: number, nextSlot: () => number) {
    const size = Math.min(plan.resultsPerMessage, Math.ceil(agent.monitors.length / (inFlightMax + 1)));
    for (let start = 0; start < agent.monitors.length; start += size)
      this.#templates.push(makeTemplate(agent.monitors.slice(start, start + size), salt + start));
    // At any time regions report different monitors, as their slots are spread over the interval.
    this.#next = salt % this.#templates.length;
    const perSecond =
      plan.resultsPerSecond === null ? Number.POSITIVE_INFINITY : plan.resultsPerSecond / plan.agents.length;
    this.#options = { ...agent, url: plan.url, nextSlot, everyMs: (1000 * size) / perSecond };
  }

  get isEmpty(): boolean {
    return this.#inFlight.length === 0;
  }

  connect(): void {
    const { url, secret } = this.#options;
    const address = `${url.replace(/^http/, 'ws')}/v0/agents/connect`;
    const socket = new WebSocket(address, subprotocol, { headers: { authorization: `Bearer ${secret}` } });
    socket.on('open', () => socket.send(helloText));
    socket.on('message', data => this.#receive(socket, String(data)));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#socket = null;
      setTimeout(() => this.connect(), reconnectMs);
    });
  }

  pump(): void {
    while (this.#socket !== null && this.sending && this.#inFlight.length < inFlightMax) {
      const now = performance.now();
      if (now < this.#dueAt) return void setTimeout(() => this.pump(), this.#dueAt - now);
      this.#dueAt = Math.max(this.#dueAt + this.#options.everyMs, now);
      const template = this.#templates[this.#next++ % this.#templates.length];
      if (template === undefined) return;
      const sent: Sent = {
        region: this.#options.region,
        scheduledAt: this.#options.nextSlot(),
        count: template.count,
        acknowledged: false,
      };
      stamp(template, this.#seq, sent.scheduledAt);
      this.#seq += template.count;
      this.#inFlight.push({ template, toSeq: this.#seq - 1, sent });
      this.ledger.push(sent);
      this.#socket.send(template.bytes, { binary: false });
    }
  }

  #receive(socket: WebSocket, text: string): void {
    if (text.startsWith('{"type":"welcome"')) {
      this.#socket = socket;
      this.connections += 1;
      for (const { template } of this.#inFlight) socket.send(template.bytes, { binary: false });
    } else if (text.startsWith('{"type":"ack"')) {
      const ack = JSON.parse(text) as { seq: number; refused: unknown[] };
      this.refused += ack.refused.length;
      for (let first = this.#inFlight[0]; first !== undefined && first.toSeq <= ack.seq; first = this.#inFlight[0]) {
        first.sent.acknowledged = true;
        first.sent.acknowledgedAt = Date.now();
        this.acknowledged += first.sent.count;
        this.#inFlight.shift();
      }
    }
    this.pump();
  }
}
