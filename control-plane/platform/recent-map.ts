/**
 * A map of bounded size: the newest entries, and of those before them what was asked for since. With lru-cache in its
 * place, linked sessions cost ingestion a sixth of its speed.
 */
export class RecentMap<Value> {
  readonly #max: { entries: number; characters: number };
  #recent = new Map<string, Value>();
  #older = new Map<string, Value>();
  #characters = 0;

  /** How much is the newest; up to as much again is older. */
  constructor(max: { entries: number; characters: number }) {
    this.#max = max;
  }

  get(key: string): Value | undefined {
    const value = this.#recent.get(key);
    if (value !== undefined) return value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    if (this.#recent.size >= this.#max.entries || this.#characters >= this.#max.characters) {
      [this.#recent, this.#older] = [new Map(), this.#recent];
      this.#characters = 0;
    }
    this.#recent.set(key, value);
    this.#characters += key.length;
  }
}
