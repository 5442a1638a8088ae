import { EventEmitter } from 'node:events';
import type { Network } from './network.ts';
import type { Process } from './process.ts';

type Frame = { event: 'message' | 'ping' | 'pong'; data: string } | { event: 'close'; code: number };

const [connecting, open, closing, closed] = [0, 1, 2, 3];
const abnormal = 1006;
const closeWithinMs = 30_000;

/**
 * One end of a connection, as `ws` shows it. Frames arrive in order; what is under way when a connection breaks is
 * lost, from some frame on.
 */
export class Socket extends EventEmitter {
  readyState = open;
  /** Never more than a receiver can take. */
  readonly bufferedAmount = 0;
  isPaused = false;
  peer: Socket | null = null;
  readonly process: Process;
  readonly #network: Network;
  readonly #region: string;
  readonly #answersPings: boolean;
  #arrivesAt = 0;
  #unread: Frame[] = [];
  #isBroken = false;

  constructor(process: Process, network: Network, region: string, answersPings: boolean) {
    super();
    this.process = process;
    this.#network = network;
    this.#region = region;
    this.#answersPings = answersPings;
    process.onEnd(() => this.#vanish());
  }

  /** The agent's end, until the gateway opens or refuses it. */
  connectWithin(ms: number): void {
    this.readyState = connecting;
    this.process.after(ms, () => void (this.readyState === connecting && this.terminate()));
  }

  open(): void {
    this.#network.later(this.#region, () =>
      this.process.reach(() => {
        if (this.readyState !== connecting) return;
        this.readyState = open;
        this.emit('open');
      }),
    );
  }

  refuse(statusCode: number): void {
    this.#network.later(this.#region, () =>
      this.process.reach(
        () => void (this.readyState === connecting && this.emit('unexpected-response', null, { statusCode })),
      ),
    );
  }

  send(data: string): void {
    this.#transmit({ event: 'message', data });
  }

  ping(data = ''): void {
    this.#transmit({ event: 'ping', data });
  }

  pong(data: Buffer | string = ''): void {
    this.#transmit({ event: 'pong', data: String(data) });
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    for (let frame = this.#unread.shift(); frame !== undefined && !this.isPaused; frame = this.#unread.shift())
      this.#take(frame);
  }

  close(code = 1005): void {
    if (this.readyState !== open) return;
    this.#transmit({ event: 'close', code });
    this.readyState = closing;
    this.process.after(closeWithinMs, () => this.terminate());
  }

  terminate(): void {
    if (this.readyState === closed) return;
    this.#end(abnormal);
    this.#tellPeer();
  }

  /** The network breaks the connection: both ends notice, and nothing of what is under way arrives. */
  break(): void {
    for (const end of [this, this.peer]) {
      if (end === null || end.readyState === closed) continue;
      end.#isBroken = true;
      this.#network.later(this.#region, () => end.process.reach(() => end.#end(abnormal)));
    }
  }

  #transmit(frame: Frame): void {
    if (this.readyState !== open || !this.process.alive) return;
    const { peer } = this;
    this.#arrivesAt = this.#network.later(this.#region, () => peer?.process.reach(() => peer.#receive(frame)), {
      notBefore: this.#arrivesAt,
    });
  }

  #receive(frame: Frame): void {
    if (this.readyState === closed || this.#isBroken) return;
    if (this.isPaused) this.#unread.push(frame);
    else this.#take(frame);
  }

  #take(frame: Frame): void {
    if (this.readyState === closed) return;
    if (frame.event === 'close') {
      if (this.readyState === open) this.#transmit(frame);
      return this.#end(frame.code);
    }
    if (frame.event === 'ping' && this.#answersPings) this.pong(frame.data);
    this.emit(frame.event, Buffer.from(frame.data, 'latin1'), false);
  }

  #end(code: number): void {
    if (this.readyState === closed) return;
    this.readyState = closed;
    this.emit('close', code);
  }

  /** The kernel closes the sockets of a process that was killed. */
  #vanish(): void {
    if (this.readyState === closed) return;
    this.readyState = closed;
    this.#tellPeer();
  }

  #tellPeer(): void {
    const { peer } = this;
    if (peer === null) return;
    if (this.#network.losesWhatIsUnderWay()) peer.#isBroken = true;
    this.#network.later(this.#region, () => peer.process.reach(() => peer.#end(abnormal)), {
      notBefore: this.#arrivesAt,
    });
  }
}
