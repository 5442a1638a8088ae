/** The environment variables of a program, read once when it starts. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The configuration is invalid. The message is one line that names each wrong variable and what it must be. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads environment variables and collects all errors, so that the user sees them at once: call `check()` last.
 * A blank variable counts as not set; values are trimmed. After an error the methods return the fallback.
 */
export class EnvReader {
  readonly #env: Env;
  readonly #errors: string[] = [];

  constructor(env: Env) {
    this.#env = env;
  }

  text(name: string, fallback: string): string {
    return this.optional(name) ?? fallback;
  }

  /** The value, or null if not set. */
  optional(name: string): string | null {
    const value = this.#env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }

  required(name: string, expected: string): string {
    const value = this.optional(name);
    if (value === null) this.#errors.push(`${name} is not set: it must be ${expected}`);
    return value ?? '';
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.optional(name);
    if (value === null) return fallback;
    const number = Number(value);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    this.#errors.push(`${name} must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const value = this.optional(name);
    if (value === null) return fallback;
    const choice = choices.find(candidate => candidate === value);
    if (choice === undefined) this.#errors.push(`${name} must be one of ${choices.join(', ')}`);
    return choice ?? fallback;
  }

  /** 1, 0, true or false. */
  flag(name: string, fallback: boolean): boolean {
    return this.oneOf(name, ['1', '0', 'true', 'false'], fallback ? '1' : '0').replace('true', '1') === '1';
  }

  /** The non-blank items of a comma-separated list. */
  list(name: string): readonly string[] {
    return (this.optional(name) ?? '').split(',').flatMap(item => item.trim() || []);
  }

  /** A comma-separated list, each item parsed; an item `parse` returns null for is an error, which ends in `reason`. */
  listOf<Item>(name: string, parse: (text: string) => Item | null, reason: string): readonly Item[] {
    return this.list(name).flatMap(text => {
      const item = parse(text);
      if (item === null) this.#errors.push(`${name} contains "${text}", which is ${reason}`);
      return item === null ? [] : [item];
    });
  }

  /** An address of HTTP, or null for the word `off`. */
  urlOrOff(name: string, fallback: string): string | null {
    return this.optional(name) === 'off' ? null : this.url(name, fallback, ['http:', 'https:']);
  }

  url(name: string, fallback: string, protocols: readonly string[]): string {
    const value = this.text(name, fallback);
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
    this.#errors.push(`${name} must be a URL with ${protocols.join(' or ')}`);
    return fallback;
  }

  /** A URL of a whole host, such as https://up.example, without a slash at its end. */
  origin(name: string, fallback: string): string {
    const value = this.url(name, fallback, ['http:', 'https:']);
    if (!URL.canParse(value)) return value;
    const { pathname, search, hash, username, password } = new URL(value);
    if (/^\/*$/.test(pathname) && `${search}${hash}${username}${password}` === '') return value.replace(/\/+$/, '');
    this.#errors.push(`${name} must be scheme, host and port only: below a path, pages and forms would lead to 404`);
    return fallback;
  }

  /** Adds an error that the caller found. */
  fault(sentence: string): void {
    this.#errors.push(sentence);
  }

  /** Throws one ConfigError if there was any error. */
  check(): void {
    if (this.#errors.length > 0) throw new ConfigError(this.#errors.join('; '));
  }
}
