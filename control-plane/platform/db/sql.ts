import type pg from 'pg';
import { isSilence } from './errors.ts';

/** A value PostgreSQL can bind. Instants are bound as ISO text: see `instant`. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly SqlValue[];

/** What may stand in a `${hole}` of a statement: a value becomes a parameter, a fragment becomes text. */
export type Hole = SqlValue | Fragment;

/**
 * Runs statements written as tagged templates: `` sql.rows<Row>`select name from projects where id = ${id}` ``.
 * Rows come back with snake_case columns, instants in milliseconds and counts as numbers.
 */
export type Sql = {
  rows<Row>(text: TemplateStringsArray, ...holes: readonly Hole[]): Promise<Row[]>;
  /** The first row or null. */
  row<Row>(text: TemplateStringsArray, ...holes: readonly Hole[]): Promise<Row | null>;
  /** Rows of a statement composed for one call: it is not kept prepared. */
  once<Row>(text: TemplateStringsArray, ...holes: readonly Hole[]): Promise<Row[]>;
  /** Runs a statement for its effect and returns how many rows it affected. */
  run(text: TemplateStringsArray, ...holes: readonly Hole[]): Promise<number>;
};

/** A piece of SQL with its values, such as a list of columns or a condition. Made by `fragment` and `identifier`. */
export class Fragment {
  readonly strings: readonly string[];
  readonly holes: readonly Hole[];

  constructor(strings: readonly string[], holes: readonly Hole[]) {
    this.strings = strings;
    this.holes = holes;
  }
}

export function fragment(strings: TemplateStringsArray, ...holes: readonly Hole[]): Fragment {
  return new Fragment(strings, holes);
}

/** A table's or a column's name of ours. Throws for anything but lower-case letters, digits and `_`. */
export function identifier(name: string): Fragment {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`"${name}" is not a name of our schema`);
  return new Fragment([name], []);
}

/** Wraps a pool or a client. Each statement is prepared once per connection, under a name of its own. */
export function sqlOf(client: pg.Pool | pg.PoolClient | pg.Client): Sql {
  const query = (strings: TemplateStringsArray, holes: readonly Hole[]) => {
    const { text, values, name } = statementOf(strings, holes);
    const answer = client.query({ text, values, name });
    answer.catch(error => closeIfSilent(client, error));
    return answer;
  };
  return {
    rows: async <Row>(strings: TemplateStringsArray, ...holes: readonly Hole[]) =>
      (await query(strings, holes)).rows as Row[],
    row: async <Row>(strings: TemplateStringsArray, ...holes: readonly Hole[]) =>
      ((await query(strings, holes)).rows[0] ?? null) as Row | null,
    once: async <Row>(strings: TemplateStringsArray, ...holes: readonly Hole[]) => {
      const values: SqlValue[] = [];
      const text = compose(strings, holes, values);
      return (await client.query({ text, values })).rows as Row[];
    },
    run: async (strings, ...holes) => (await query(strings, holes)).rowCount ?? 0,
  };
}

/** What is asked of a connection after it fell silent, such as a rollback, then fails at once instead of waiting. */
function closeIfSilent(client: pg.Pool | pg.ClientBase, error: unknown): void {
  const isPool = 'totalCount' in client;
  if (!isPool && isSilence(error)) void (client as pg.Client).end();
}

/** An instant as PostgreSQL reads it: truncated to the millisecond, since the server would round. */
export function instant(ms: number): string;
export function instant(ms: number | null): string | null;
export function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(Math.floor(ms)).toISOString();
}

type Statement = { text: string; values: SqlValue[]; name: string };

const plain = new WeakMap<TemplateStringsArray, { text: string; name: string }>();
const names = new Map<string, string>();

/** Text, values and name of a statement. The text of a template without fragments is put together once. */
function statementOf(strings: TemplateStringsArray, holes: readonly Hole[]): Statement {
  if (holes.some(hole => hole instanceof Fragment)) {
    const values: SqlValue[] = [];
    const text = compose(strings, holes, values);
    return { text, values, name: nameOf(text) };
  }
  let known = plain.get(strings);
  if (known === undefined) {
    const text = compose(strings, holes, []);
    known = { text, name: nameOf(text) };
    plain.set(strings, known);
  }
  return { ...known, values: holes as SqlValue[] };
}

function compose(strings: readonly string[], holes: readonly Hole[], values: SqlValue[]): string {
  let text = strings[0] ?? '';
  for (const [index, hole] of holes.entries()) {
    if (hole instanceof Fragment) text += compose(hole.strings, hole.holes, values);
    else text += `$${values.push(hole)}`;
    text += strings[index + 1] ?? '';
  }
  return text;
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
