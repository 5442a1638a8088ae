import { setImmediate } from 'node:timers/promises';
import type { Sql } from '../../../platform/db/sql.ts';
import { listAnswerRuns } from './answer-store.ts';
import { type AnswerSet, answerSets, joinRuns, type SetRun, setRun } from './answers.ts';
import { newestResults, type ReadRange } from './range-store.ts';

/** Results read by one statement, and runs looked at before others have their turn: some milliseconds of each. */
const resultsAtOnce = 1_000;
const runsInTurn = 200;

/**
 * The newest `max` sets of data in the range, oldest first, and since when none is left out. It reads from the newest
 * result back, until older ones would not change the answer.
 */
export async function readAnswers(
  sql: Sql,
  range: ReadRange,
  { type, max, atOnce = resultsAtOnce }: { type: string; max: number; atOnce?: number },
): Promise<{ sets: AnswerSet[]; completeFromMs: number | null }> {
  let joined: SetRun[] = [];
  for (let { toMs } = range; ; ) {
    const slice = await newestResults(sql, { ...range, toMs }, atOnce);
    // Results of one instant are read together, even more of them.
    const fromMs = Math.min(slice.fromMs, toMs - 1);
    const older: SetRun[] = [];
    const runs = await listAnswerRuns(sql, { ...slice, fromMs });
    for (let index = 0; index < runs.length; index += runsInTurn) {
      older.push(...runs.slice(index, index + runsInTurn).map(run => setRun(run, type)));
      await setImmediate();
    }
    joined = joinRuns([...older, ...joined]);
    const { isFinal, ...answer } = answerSets(joined, max);
    if (isFinal || fromMs <= range.fromMs) return answer;
    toMs = fromMs;
  }
}
