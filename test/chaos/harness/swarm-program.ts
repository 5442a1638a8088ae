import WebSocket from 'ws';
import { type Ending, reconnectAfterMs } from '#agent/reconnect.ts';
import { decodeControlMessage, encode } from '#shared/protocol/codec.ts';
import { subprotocol } from '#shared/protocol/messages.ts';
import type { SwarmCommand, SwarmReport } from './swarm.ts';

// Its own process. Each member connects, waits and gives up as an agent does; see agent/link.ts.
const welcomeWithinMs = 10_000;
const pingWithinMs = 45_000;
const reportEveryMs = 100;
let connected = 0;
let gaveUp = 0;

process.on('disconnect', () => process.exit(0));
process.on('message', ({ url, secrets }: SwarmCommand) => {
  const address = `${url.replace(/^http/, 'ws')}/v0/agents/connect`;
  for (const secret of secrets) new Member(address, secret).start({ type: 'dropped' });
  setInterval(() => {
    const report: SwarmReport = { connected, gaveUp };
    process.send?.(report);
  }, reportEveryMs);
});

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
      const message = decodeControlMessage(String(data));
      if (message.type === 'welcome') {
        welcomed = true;
        connected += 1;
        this.#failures = 0;
        hear(pingWithinMs);
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
