import { instant, type Sql } from '../../../platform/db/sql.ts';

/** How far a stream is stored. `fence` is that of the process that stores it, `createdAt` the stream's own. */
export type Position = { seq: number; fence: number; createdAt: string };

/** A process took the stream over. */
export class Superseded extends Error {
  override name = 'Superseded';
}

export function isSuperseded(error: unknown): boolean {
  return error instanceof Superseded;
}

/** Takes a stream over: whoever stored it before can commit nothing more. */
export async function takePosition(sql: Sql, stream: string): Promise<Position> {
  const row = await sql.row<Position>`
    insert into intake_positions as held (stream, created_at, seq, fence)
    values (${stream}, '', 0, 1)
    on conflict (stream) do update
    set fence = held.fence + 1
    returning seq, fence, created_at as "createdAt"`;
  if (row === null) throw new Error('the position of a stream was not returned');
  return row;
}

/**
 * The position of a stream that was taken before the broker said where it stands: one that was made anew is read from
 * its start, one that lost its end from there. Throws Superseded if another process has taken the stream since.
 */
export async function alignPosition(
  sql: Sql,
  stream: string,
  taken: Position,
  { createdAt, lastSeq }: { createdAt: string; lastSeq: number },
): Promise<Position> {
  const seq = taken.createdAt === createdAt ? Math.min(taken.seq, lastSeq) : 0;
  if (taken.createdAt === createdAt && taken.seq === seq) return taken;
  const aligned = await sql.run`
    update intake_positions
    set seq = ${seq}, created_at = ${createdAt}
    where stream = ${stream} and fence = ${taken.fence} and seq = ${taken.seq}`;
  if (aligned !== 1) throw new Superseded(`${stream} was taken over before it was read`);
  return { ...taken, seq, createdAt };
}

/**
 * Moves the position in the transaction of what was stored. Throws Superseded if another process has the stream, or if
 * the position is not where we left it: a standby that took over may lack what we stored last.
 */
export async function movePosition(
  sql: Sql,
  stream: string,
  from: Pick<Position, 'seq' | 'fence'>,
  seq: number,
): Promise<void> {
  const moved = await sql.run`
    update intake_positions
    set seq = ${seq}, moved_at = clock_timestamp()
    where stream = ${stream} and fence = ${from.fence} and seq = ${from.seq}`;
  if (moved !== 1) throw new Superseded(`${stream} is not stored as far as we left it, or another process stores it`);
}

/** Whether the stream is still ours and stored at least so far. */
export async function isStored(
  sql: Sql,
  stream: string,
  { seq, fence }: Pick<Position, 'seq' | 'fence'>,
): Promise<boolean> {
  const row = await sql.row`
    select 1
    from intake_positions
    where stream = ${stream} and fence = ${fence} and seq >= ${seq}`;
  return row !== null;
}

/** Says that nothing of the stream had waited for long at an instant: long ago for a process that stood still since. */
export async function markCaughtUp(sql: Sql, stream: string, fence: number, atMs: number): Promise<void> {
  await sql.run`
    update intake_positions
    set caught_up_at = greatest(caught_up_at, least(clock_timestamp(), ${instant(atMs)}))
    where stream = ${stream} and fence = ${fence}`;
}

/**
 * True while results wait in a stream and are being stored, or its worker just died: votes must not expire for want of
 * them. Streams are marked every five seconds; no vote expires within eleven seconds of the last result of its region.
 */
export async function isBehind(sql: Sql): Promise<boolean> {
  const row = await sql.row<{ behind: boolean }>`
    select exists (
      select from intake_positions
      where stream like '%-results-%'
        and caught_up_at < clock_timestamp() - interval '10 s'
        and moved_at > clock_timestamp() - interval '30 s'
    ) as behind`;
  return row?.behind === true;
}

/**
 * For how long at most something may have waited in a stream: who stores it marks every five seconds that what was
 * there at the mark before is stored. Without end where no stream was ever read.
 */
export async function streamsWaitMs(sql: Sql, kind: 'events' | 'results'): Promise<number> {
  const row = await sql.row<{ ms: number | null }>`
    select (extract(epoch from clock_timestamp() - min(caught_up_at)) * 1000)::float8 as ms
    from intake_positions
    where stream like ${`%-${kind}-%`}`;
  return row?.ms == null ? Number.POSITIVE_INFINITY : row.ms + markedMs;
}

/** From one mark to the next, with the way to the broker and the commits of fronts. */
const markedMs = 8000;
