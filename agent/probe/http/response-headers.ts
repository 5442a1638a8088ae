/** Header fields of a response in the order in which they came, with names in lower case and values as Latin-1. */
export class ResponseHeaders {
  readonly #fields: (readonly [name: string, value: string])[] = [];

  add(name: string, value: string): void {
    this.#fields.push([name, value]);
  }

  /** Adds to the last field what continues it, after a blank. Returns its name. */
  extend(text: string): string | undefined {
    const last = this.#fields.pop();
    if (last === undefined) return undefined;
    const [name, value] = last;
    this.#fields.push([name, value === '' || text === '' ? value + text : `${value} ${text}`]);
    return name;
  }

  /** The first value. */
  get(name: string): string | undefined {
    for (const [candidate, value] of this.#fields) if (candidate === name) return value;
    return undefined;
  }

  all(name: string): string[] {
    return this.#fields.flatMap(([candidate, value]) => (candidate === name ? [value] : []));
  }

  byName(): Map<string, string[]> {
    const values = new Map<string, string[]>();
    for (const [name, value] of this.#fields) {
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
    return values;
  }
}
