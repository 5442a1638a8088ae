import WebSocket from 'ws';
import { type Ending, reconnectAfterMs } from '#agent/reconnect.ts';
import { encode } from '#shared/protocol/codec.ts';
import { type ControlMessage, subprotocol } from '#shared/protocol/messages.ts';
import type { SwarmCommand, SwarmReport } from './swarm.ts';

// Its own process. Each member connects, waits and gives up as an agent does; see agent/link.ts.
const welcomeWithinMs = 10_000;
const pingWithinMs = 45_000;
const reportEveryMs = 100;
const deltaMax = 50;
let connected = 0;
let gaveUp = 0;
let assignments = 0;
let snapshots = 0;
let put: { monitorId: string; version: number; at: number }[] = [];

process.on('disconnect', () => process.exit(0));
process.on('message', ({ url, secrets }: SwarmCommand) => {
  const address = `${url.replace(/^http/, 'ws')}/v0/agents/connect`;
  for (const secret of secrets) new Member(address, secret).start({ type: 'dropped' });
  setInterval(() => {
    const report: SwarmReport = { type: 'report', connected, gaveUp, assignments, snapshots, put };
    put = [];
    process.send?.(report);
  }, reportEveryMs);
});

function note(received: Extract<ControlMessage, { type: 'assignments' }>['put']): void {
  const at = Date.now();
  for (const { monitor_id, config_version } of received)
    put.push({ monitorId: monitor_id, version: config_version, at });
}

class Member {
  readonly #address: string;
  readonly #secret: string;
  #held = { revision: 0, digest: '' };
  #failures = 0;
  #watchdog: NodeJS.Timeout | undefined;

  constructor(address: string, secret: string) {
    this.#address = address;
    this.#secret = secret;
  }

  start(ending: Ending): void {
    setTimeout(() => this.#connect(), reconnectAfterMs(ending, Math.random()));
  }

  #connect(): void {
    const socket = new WebSocket(this.#address, subprotocol, {
      headers: { authorization: `Bearer ${this.#secret}` },
      handshakeTimeout: welcomeWithinMs,
      perMessageDeflate: false,
    });
    let welcomed = false;
    const hear = (withinMs: number) => {
      clearTimeout(this.#watchdog);
      this.#watchdog = setTimeout(() => {
        gaveUp += 1;
        socket.terminate();
      }, withinMs);
    };
    const spool = { count: 0, bytes: 0, dropped: 0 };
    socket.on('open', () => {
      hear(welcomeWithinMs);
      const held = this.#held;
      socket.send(encode({ type: 'hello', protocol: 1, version: 'swarm', boot_id: 'swarm', held, spool }));
    });
    socket.on('message', data => {
      // It trusts the control plane: a real agent examines each assignment, but not those of thousands.
      const message = JSON.parse(String(data)) as ControlMessage;
      if (message.type === 'welcome') {
        welcomed = true;
        connected += 1;
        this.#failures = 0;
        hear(pingWithinMs);
      }
      if (message.type === 'assignments') {
        assignments += message.put.length;
        if (message.mode === 'snapshot') snapshots += 1;
        else if (message.put.length <= deltaMax) note(message.put);
      }
      if (message.type === 'assignments' && !message.more) {
        this.#held = { revision: message.revision, digest: message.digest };
        socket.send(encode({ type: 'applied', ...this.#held }));
      }
    });
    socket.on('ping', () => hear(pingWithinMs));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(this.#watchdog);
      if (welcomed) connected -= 1;
      else this.#failures += 1;
      this.start(welcomed ? { type: 'dropped' } : { type: 'failed', failures: this.#failures });
    });
  }
}
