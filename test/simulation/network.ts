import type { Process } from './process.ts';
import type { Random } from './random.ts';
import { Socket } from './socket.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A region's way to the control plane. While it is cut nothing arrives; then everything does that still waits. */
export class Network {
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #cutUntil = new Map<string, number>();
  #sockets: Socket[] = [];

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  cut(region: string, untilMs: number): void {
    this.#cutUntil.set(region, Math.max(untilMs, this.#cutUntil.get(region) ?? 0));
  }

  isCut(region: string): boolean {
    return (this.#cutUntil.get(region) ?? 0) > this.#time.now;
  }

  losesWhatIsUnderWay(): boolean {
    return this.#random.chance(0.5);
  }

  /** Calls after a delay, or when the cut is over; returns when. */
  later(region: string, call: () => void, { notBefore = 0 } = {}): number {
    const delay = this.#random.chance(0.02) ? this.#random.between(200, 3000) : this.#random.between(1, 60);
    const at = Math.max(notBefore, Math.max(this.#time.now, this.#cutUntil.get(region) ?? 0) + delay);
    this.#time.after(at - this.#time.now, call);
    return at;
  }

  /** Two connected ends; the agent's answers pings by itself, as `ws` does for clients. */
  pair(agent: Process, server: Process, region: string): { client: Socket; accepted: Socket } {
    const client = new Socket(agent, this, region, true);
    const accepted = new Socket(server, this, region, false);
    client.peer = accepted;
    accepted.peer = client;
    this.#sockets = [...this.#sockets.filter(socket => socket.readyState !== 3), client];
    return { client, accepted };
  }

  /** Breaks all connections that a process is one end of. */
  breakConnectionsOf(process: Process): void {
    for (const socket of this.#sockets)
      if (socket.process === process || socket.peer?.process === process) socket.break();
  }
}
