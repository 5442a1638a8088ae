/** To which address of a monitor's own host the connections of an attempt go. */
export class AddressTurn {
  readonly #position: number;
  /** How long one address has to be connected while others wait, in milliseconds. */
  readonly limitMs: number;
  #waiting: readonly string[] | null = null;

  /** `position`: that of the address whose turn it is. */
  constructor(position: number, limitMs: number) {
    this.#position = position;
    this.limitMs = limitMs;
  }

  /** To one address alone. */
  static to(address: string): AddressTurn {
    const turn = new AddressTurn(0, 0);
    turn.begin([address]);
    return turn;
  }

  get isBegun(): boolean {
    return this.#waiting !== null;
  }

  begin(addresses: readonly string[]): void {
    const first = addresses.length === 0 ? 0 : this.#position % addresses.length;
    this.#waiting = [...addresses.slice(first), ...addresses.slice(0, first)];
  }

  /** The address to connect to, in a list; none if the host has none. */
  get current(): readonly string[] {
    return this.#waiting?.slice(0, 1) ?? [];
  }

  get hasNext(): boolean {
    return (this.#waiting?.length ?? 0) > 1;
  }

  next(): void {
    this.#waiting = this.#waiting?.slice(1) ?? null;
  }
}
