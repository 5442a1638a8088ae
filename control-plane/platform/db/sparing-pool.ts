import pg from 'pg';

/** To open a connection costs the server as much as many statements, of which most take a few milliseconds. */
const patienceDefaultMs = 20;
/** So much of a second may pass with somebody in line: under a load that lasts, all connections are soon open. */
const waitedMaxMs = 50;
const windowMs = 1000;

type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: unknown) => void) => void;

/**
 * A pool that opens another connection only if none of its own comes free for 20 ms, or if callers waited for more than
 * 5 % of the last second. They wait in line.
 */
export class SparingPool extends pg.Pool {
  #line: Promise<void> = Promise.resolve();
  #windowFrom = 0;
  #waitedMs = 0;
  readonly #patienceMs: number;

  constructor(config: pg.PoolConfig, patienceMs = patienceDefaultMs) {
    super(config);
    this.#patienceMs = patienceMs;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | undefined {
    if (done === undefined) return this.#wouldGrow() ? this.#inLine().then(() => super.connect()) : super.connect();
    if (this.#wouldGrow()) void this.#inLine().then(() => super.connect(done));
    else super.connect(done);
    return undefined;
  }

  /** All connections are in use, and there may be more. Without any there is nothing to wait for. */
  #wouldGrow(): boolean {
    const { totalCount, idleCount, waitingCount, options } = this;
    return totalCount > 0 && totalCount < options.max && idleCount <= waitingCount;
  }

  #inLine(): Promise<void> {
    this.#line = this.#line.then(() => this.#untilFree());
    return this.#line;
  }

  async #untilFree(): Promise<void> {
    if (!this.#wouldGrow()) return;
    const fromMs = performance.now();
    if (fromMs - this.#windowFrom > windowMs) [this.#windowFrom, this.#waitedMs] = [fromMs, 0];
    if (this.#waitedMs < waitedMaxMs) await this.#release();
    this.#waitedMs += performance.now() - fromMs;
    // It opens one, which is to help first.
    if (this.#wouldGrow()) this.#waitedMs = 0;
  }

  /** Ends when a connection comes free, or when there was none for long enough. */
  async #release(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = setTimeout(resolve, this.#patienceMs);
    this.once('release', resolve);
    await promise;
    clearTimeout(late);
    this.off('release', resolve);
  }
}
