import type pg from 'pg';

/** A value PostgreSQL can bind. Instants are bound as ISO text: see `instant`. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly SqlValue[];

/** Runs one statement; rows come back with snake_case columns, instants and counts as numbers. */
export type Sql = {
  rows<Row>(text: string, values?: readonly SqlValue[]): Promise<Row[]>;
  /** The first row or null. */
  row<Row>(text: string, values?: readonly SqlValue[]): Promise<Row | null>;
  /** Rows of a statement made for one call: it is not kept prepared. */
  once<Row>(text: string, values?: readonly SqlValue[]): Promise<Row[]>;
  /** Runs a statement for its effect and tells how many rows it touched. */
  run(text: string, values?: readonly SqlValue[]): Promise<number>;
};

/** Wraps a pool or a client. Each statement is prepared once a connection under a name of its own. */
export function sqlOf(client: pg.Pool | pg.PoolClient | pg.Client): Sql {
  const query = (text: string, values: readonly SqlValue[] = []) =>
    client.query({ text, values: values as SqlValue[], name: statementName(text) });
  return {
    rows: async <Row>(text: string, values?: readonly SqlValue[]) => (await query(text, values)).rows as Row[],
    row: async <Row>(text: string, values?: readonly SqlValue[]) =>
      ((await query(text, values)).rows[0] ?? null) as Row | null,
    once: async <Row>(text: string, values: readonly SqlValue[] = []) =>
      (await client.query({ text, values: values as SqlValue[] })).rows as Row[],
    run: async (text, values) => (await query(text, values)).rowCount ?? 0,
  };
}

/** An instant as PostgreSQL reads it: truncated to the millisecond, since the server would round. */
export function instant(ms: number): string;
export function instant(ms: number | null): string | null;
export function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(Math.floor(ms)).toISOString();
}

const names = new Map<string, string>();

function statementName(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
