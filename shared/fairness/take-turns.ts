import { wait } from '../wait.ts';

export type TurnOptions = {
  /** Turns at the same time, each of another key. */
  concurrency: number;
  /** Items of one turn: a key whose turn took as many comes again, behind the others. */
  turnMax: number;
  /** After this time no key comes again, so that those that came meanwhile are listed. Zero: each has one turn. */
  roundMs?: number;
  /** While a turn takes longer than this, the other slots list the keys again; never if not given. */
  listAgainMs?: number;
  /** No turn begins once it aborts. */
  signal?: AbortSignal | undefined;
};

type Turn = { beganMs: number; ended: Promise<void> };

/**
 * Gives each key of the list its turn, in order. `turn` says how many items it took, at most `turnMax`. Returns how
 * many all turns took, when none is under way. After the first that fails no other begins, and its error is thrown.
 */
export async function takeTurns<Key>(
  list: () => Promise<readonly Key[]>,
  turn: (key: Key, turnMax: number) => Promise<number>,
  { concurrency, turnMax, roundMs = 0, listAgainMs = Number.POSITIVE_INFINITY, signal }: TurnOptions,
): Promise<number> {
  const deadlineMs = performance.now() + roundMs;
  const turns = new Map<Key, Turn>();
  const failures: unknown[] = [];
  const mayBegin = () => failures.length === 0 && signal?.aborted !== true;
  const waiting = [...(await list())];
  let listedMs = performance.now();
  let taken = 0;

  const take = async (key: Key): Promise<void> => {
    try {
      const count = await turn(key, turnMax);
      taken += count;
      if (count === turnMax && performance.now() < deadlineMs) waiting.push(key);
    } catch (error) {
      failures.push(error);
    }
    turns.delete(key);
  };
  const beginTurns = (): void => {
    while (mayBegin() && turns.size < concurrency && waiting.length > 0)
      for (const key of waiting.splice(0, 1)) turns.set(key, { beganMs: performance.now(), ended: take(key) });
  };
  /** Another process may have its turn with what is listed: so not too often. */
  const mayListAgain = (nowMs: number): boolean =>
    turns.size < concurrency &&
    waiting.length === 0 &&
    nowMs - listedMs >= listAgainMs &&
    turns.values().some(({ beganMs }) => nowMs - beganMs >= listAgainMs);

  for (beginTurns(); turns.size > 0; beginTurns()) {
    const next = turns.values().map(({ ended }) => ended);
    await Promise.race(listAgainMs === Number.POSITIVE_INFINITY ? next : [...next, wait(listAgainMs, { ref: false })]);
    if (!mayListAgain(performance.now())) continue;
    listedMs = performance.now();
    if (!mayBegin()) continue;
    const listed = await list().catch(error => {
      failures.push(error);
      return [];
    });
    // A turn may have ended meanwhile, and its key have come again.
    waiting.push(...listed.filter(key => !turns.has(key) && !waiting.includes(key)));
  }
  if (failures.length > 0) throw failures[0];
  return taken;
}
