import { properties, type Selector, type Term } from './selector.ts';

const termsMax = 20;
const valuesMax = 50;
const valueLengthMax = 200;

/** What is wrong with a selector; the message names the column, counted from 1. */
export class SelectorError extends Error {
  override name = 'SelectorError';

  constructor(index: number, problem: string) {
    super(`column ${index + 1}: ${problem}`);
  }
}

/** Parses `*`, or terms such as `env=prod, !legacy, team in (web, "back end")`. Throws `SelectorError`. */
export function parseSelector(text: string): Selector {
  const reader = new Reader(text);
  if (reader.take('*')) {
    reader.expectEnd('* must stand alone');
    return { terms: [] };
  }
  const terms = [readTerm(reader)];
  while (reader.take(',')) {
    if (terms.length === termsMax) reader.fail(`a selector has at most ${termsMax} terms`);
    terms.push(readTerm(reader));
  }
  reader.expectEnd('expected a comma or the end');
  return { terms };
}

function readTerm(reader: Reader): Term {
  if (reader.take('!')) return { key: readKey(reader), operator: 'not_exists', values: [] };
  const key = readKey(reader);
  if (reader.take('!=')) return { key, operator: 'not_in', values: [readValue(reader)] };
  if (reader.take('==') || reader.take('=')) return { key, operator: 'in', values: [readValue(reader)] };
  if (reader.takeWord('notin')) return { key, operator: 'not_in', values: readValues(reader) };
  if (reader.takeWord('in')) return { key, operator: 'in', values: readValues(reader) };
  return { key, operator: 'exists', values: [] };
}

function readKey(reader: Reader): string {
  const start = reader.position();
  const key = reader.match(/[a-z][a-z0-9_.-]*|@[a-z]*/y);
  if (key === null) return reader.fail('expected a label or one of @id, @name, @kind');
  const isProperty = (properties as readonly string[]).includes(key);
  if (key.startsWith('@') && !isProperty) return reader.fail('expected one of @id, @name, @kind', start);
  if (key.length > 63) return reader.fail('the key of a label has at most 63 characters', start);
  return key;
}

function readValues(reader: Reader): string[] {
  if (!reader.take('(')) reader.fail('expected ( after a blank');
  const values = [readValue(reader)];
  while (reader.take(',')) {
    if (values.length === valuesMax) reader.fail(`a term has at most ${valuesMax} values`);
    values.push(readValue(reader));
  }
  if (!reader.take(')')) reader.fail('expected a comma or )');
  return values;
}

function readValue(reader: Reader): string {
  const start = reader.position();
  const quoted = reader.match(/"(?:[^"\\]|\\.)*"/y);
  const value = quoted === null ? reader.match(/[A-Za-z0-9_.:/+-]+/y) : unquote(quoted);
  if (value === null) return reader.fail(quoted === null ? 'expected a value' : 'expected a JSON string', start);
  if (/\p{Cc}/u.test(value)) reader.fail('a value must not contain control characters', start);
  if (value.length > valueLengthMax) reader.fail(`a value has at most ${valueLengthMax} characters`, start);
  return value;
}

function unquote(quoted: string): string | null {
  try {
    return (JSON.parse(quoted) as string).toWellFormed();
  } catch {
    return null;
  }
}

/** Reads tokens; blanks before a token do not count. */
class Reader {
  readonly #text: string;
  #index = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the next token starts. */
  position(): number {
    while (isBlank(this.#text[this.#index])) this.#index += 1;
    return this.#index;
  }

  /** Takes the symbol if it is next. */
  take(symbol: string): boolean {
    if (!this.#text.startsWith(symbol, this.position())) return false;
    this.#index += symbol.length;
    return true;
  }

  /** Takes the word if it is next, with a blank before and after it. */
  takeWord(word: string): boolean {
    const start = this.position();
    const after = start + word.length;
    if (!isBlank(this.#text[start - 1]) || !isBlank(this.#text[after])) return false;
    return this.take(word);
  }

  /** Takes what the sticky expression matches next, or null. */
  match(expression: RegExp): string | null {
    expression.lastIndex = this.position();
    const found = expression.exec(this.#text)?.[0] ?? null;
    this.#index += found?.length ?? 0;
    return found;
  }

  expectEnd(problem: string): void {
    if (this.position() < this.#text.length) this.fail(problem);
  }

  fail(problem: string, index = this.position()): never {
    throw new SelectorError(index, problem);
  }
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
