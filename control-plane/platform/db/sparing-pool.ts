import pg from 'pg';

/** To open a connection costs the server as much as many statements, of which most take a few milliseconds. */
const patienceMs = 20;

type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: unknown) => void) => void;

/** A pool that opens another connection only if none of its own comes free for 20 ms. Who waits does so in turn. */
export class SparingPool extends pg.Pool {
  #turn: Promise<void> = Promise.resolve();

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | undefined {
    if (done === undefined) return this.#wouldGrow() ? this.#inTurn().then(() => super.connect()) : super.connect();
    if (this.#wouldGrow()) void this.#inTurn().then(() => super.connect(done));
    else super.connect(done);
    return undefined;
  }

  /** All connections are in use, and there may be more. Without any there is nothing to wait for. */
  #wouldGrow(): boolean {
    const { totalCount, idleCount, waitingCount, options } = this;
    return totalCount > 0 && totalCount < options.max && idleCount <= waitingCount;
  }

  #inTurn(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#untilFree());
    return this.#turn;
  }

  async #untilFree(): Promise<void> {
    if (!this.#wouldGrow()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = setTimeout(resolve, patienceMs);
    this.once('release', resolve);
    await promise;
    clearTimeout(late);
    this.off('release', resolve);
  }
}
