import type pg from 'pg';
import { secondMs } from '#shared/duration.ts';
import type { Process } from './process.ts';
import type { PositionRow, Rows } from './rows.ts';
import type { World } from './world.ts';

type Query = { text: string; values: readonly unknown[] };
type Answer = { rows: object[]; rowCount: number };

const nothing: Answer = { rows: [], rowCount: 0 };

/** Answers the statements of `intake/position-store.ts`, each in a transaction of its own. */
export function positionPool(world: World, process: Process): pg.Pool {
  const query = (statement: Query) => world.database.transact(process, rows => answer(world, process, rows, statement));
  return { query } as unknown as pg.Pool;
}

/** The same for `transaction`, which leaves begin and commit to the transaction of the rows that it is given. */
export function positionTransaction(world: World, process: Process): { pool: pg.Pool; within(rows: Rows): void } {
  let under: Rows | null = null;
  const query = async (statement: Query | string) =>
    typeof statement === 'string' || under === null ? nothing : answer(world, process, under, statement);
  const client = { query, release: () => {} };
  return {
    pool: { connect: async () => client } as unknown as pg.Pool,
    within: rows => {
      under = rows;
    },
  };
}

function answer(world: World, process: Process, rows: Rows, { text, values }: Query): Answer {
  const nowMs = world.database.now();
  if (text.includes('insert into intake_positions')) {
    return { rows: [take(world, process, rows, String(values[0]))], rowCount: 1 };
  }
  if (text.includes('as behind')) return { rows: [{ behind: isBehind(rows, nowMs) }], rowCount: 1 };
  if (text.includes('as ms')) return { rows: [{ ms: waitMs(rows, nowMs) }], rowCount: 1 };
  const [first] = values;
  if (text.includes('set caught_up_at')) {
    const [at, stream, fence] = values as [string, string, number];
    const caughtUpAt = Math.min(nowMs, Date.parse(at));
    const later = (row: PositionRow) => ({ ...row, caughtUpAt: Math.max(row.caughtUpAt, caughtUpAt) });
    return { rows: [], rowCount: update(rows, stream, row => row.fence === fence && later(row)) };
  }
  if (text.includes('select 1')) {
    const [stream, fence, seq] = values as [string, number, number];
    const row = rows.positions.get(stream);
    const isStored = row !== undefined && row.fence === fence && row.seq >= seq;
    return { rows: isStored ? [{}] : [], rowCount: Number(isStored) };
  }
  if (text.includes('created_at = $')) {
    const [seq, createdAt, stream, fence, from] = values as [number, string, string, number, number];
    const isOurs = (row: PositionRow) => row.fence === fence && row.seq === from;
    return { rows: [], rowCount: update(rows, stream, row => isOurs(row) && { ...row, seq, createdAt }) };
  }
  if (!text.includes('set seq =')) throw new Error(`no answer to ${text}`);
  const [, stream, fence, from] = values as [number, string, number, number];
  return { rows: [], rowCount: move(world, process, rows, { stream, fence, from, seq: Number(first) }) };
}

function take(world: World, process: Process, rows: Rows, stream: string): object {
  const { mutation, ledger } = world;
  const nowMs = world.database.now();
  const held = rows.positions.get(stream);
  const isForgetful = mutation === 'no stored sequence and no unique key';
  const seq = isForgetful ? 0 : (held?.seq ?? 0);
  const createdAt = held?.createdAt ?? '';
  const fence =
    (held?.fence ?? 0) + (held !== undefined && mutation === 'a stream is taken over without a fence' ? 0 : 1);
  const untouched = { movedAt: held?.movedAt ?? nowMs, caughtUpAt: held?.caughtUpAt ?? nowMs };
  rows.positions.put(stream, { ...untouched, seq, fence, createdAt });
  ledger.taken(stream, process.id);
  return { seq, fence, createdAt };
}

function move(
  world: World,
  process: Process,
  rows: Rows,
  moved: { stream: string; fence: number; from: number; seq: number },
): number {
  const { mutation, ledger } = world;
  const { stream, fence, from, seq } = moved;
  const isOurs = (row: PositionRow) => row.fence === fence || mutation === 'no fence';
  const isAnywhere = mutation === 'no fence' || mutation === 'a stream is taken over without a fence';
  const isForgetful = mutation === 'no stored sequence and no unique key';
  const isNext = (row: PositionRow) => row.seq === from || (isAnywhere && row.seq < seq) || isForgetful;
  const movedAt = world.database.now();
  const count = update(rows, stream, row => isOurs(row) && isNext(row) && { ...row, seq, movedAt });
  if (count > 0) ledger.written(stream, process.id);
  return count;
}

function update(rows: Rows, stream: string, change: (row: PositionRow) => PositionRow | false): number {
  const row = rows.positions.get(stream);
  const changed = row !== undefined && change(row);
  if (changed === false) return 0;
  rows.positions.put(stream, changed);
  return 1;
}

function isBehind(rows: Rows, nowMs: number): boolean {
  return [...rows.positions.values()].some(
    ({ caughtUpAt, movedAt }) => caughtUpAt < nowMs - 10 * secondMs && movedAt > nowMs - 30 * secondMs,
  );
}

function waitMs(rows: Rows, nowMs: number): number | null {
  const marks = [...rows.positions.values()].map(({ caughtUpAt }) => caughtUpAt);
  return marks.length === 0 ? null : nowMs - Math.min(...marks);
}
