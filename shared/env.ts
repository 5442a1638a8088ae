/** The variables of one program, read once at its start. */
export type Env = Readonly<Record<string, string | undefined>>;

/** One line that names every variable that is wrong and what would be right. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Reads variables and collects what is wrong with them, so that the user sees all faults at once. */
export class EnvReader {
  readonly #env: Env;
  readonly #faults: string[] = [];

  constructor(env: Env) {
    this.#env = env;
  }

  text(name: string, fallback: string): string {
    return this.optional(name) ?? fallback;
  }

  optional(name: string): string | null {
    const value = this.#env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }

  required(name: string, what: string): string {
    const value = this.optional(name);
    if (value === null) this.#faults.push(`${name} is not set: it must be ${what}`);
    return value ?? '';
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.optional(name);
    if (value === null) return fallback;
    const number = Number(value);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    this.#faults.push(`${name} must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const value = this.optional(name);
    if (value === null) return fallback;
    const choice = choices.find(candidate => candidate === value);
    if (choice === undefined) this.#faults.push(`${name} must be one of ${choices.join(', ')}`);
    return choice ?? fallback;
  }

  flag(name: string, fallback: boolean): boolean {
    return this.oneOf(name, ['1', '0', 'true', 'false'], fallback ? '1' : '0').replace('true', '1') === '1';
  }

  list(name: string): readonly string[] {
    return (this.optional(name) ?? '').split(',').flatMap(item => item.trim() || []);
  }

  /** The items of a list as `parse` reads them; one it does not read is a fault: it is `isNot`. */
  listOf<Item>(name: string, parse: (text: string) => Item | null, isNot: string): readonly Item[] {
    return this.list(name).flatMap(text => {
      const item = parse(text);
      if (item === null) this.#faults.push(`${name} holds "${text}", which is ${isNot}`);
      return item === null ? [] : [item];
    });
  }

  url(name: string, fallback: string, protocols: readonly string[]): string {
    const value = this.text(name, fallback);
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
    this.#faults.push(`${name} must be a URL with ${protocols.join(' or ')}`);
    return fallback;
  }

  fault(sentence: string): void {
    this.#faults.push(sentence);
  }

  /** Throws one ConfigError with every fault seen so far. */
  check(): void {
    if (this.#faults.length > 0) throw new ConfigError(this.#faults.join('; '));
  }
}
