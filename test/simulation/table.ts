/** Rows by key. Rows are values: a change puts another one in their place. */
export class Table<Row> {
  readonly #rows = new Map<string, Row>();
  readonly #journal: (() => void)[];

  constructor(journal: (() => void)[]) {
    this.#journal = journal;
  }

  get = (key: string): Row | undefined => this.#rows.get(key);
  keys = (): MapIterator<string> => this.#rows.keys();
  entries = (): MapIterator<[string, Row]> => this.#rows.entries();
  values = (): MapIterator<Row> => this.#rows.values();

  put(key: string, row: Row): void {
    const before = this.#rows.get(key);
    const existed = this.#rows.has(key);
    this.#journal.push(() => {
      if (existed) this.#rows.set(key, before as Row);
      else this.#rows.delete(key);
    });
    this.#rows.set(key, row);
  }

  delete(key: string): void {
    const before = this.#rows.get(key);
    if (before === undefined) return;
    this.#journal.push(() => void this.#rows.set(key, before));
    this.#rows.delete(key);
  }
}
