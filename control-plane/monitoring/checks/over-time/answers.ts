import type { DnsFacts } from '#shared/checks/facts.ts';

/** What results of a region in a row were answered, from the first to the last of them; null: nothing. */
export type AnswerRun = {
  region: string;
  firstAt: number;
  lastAt: number;
  dns: (Pick<DnsFacts, 'rcode' | 'truncated'> & { answers: { type: string; data: string }[] }) | null;
};
/** One set of data, whatever the order and TTL of its records. */
export type AnswerSet = Span & Found;
type Span = { region: string; first_at: number; last_at: number };
type Found = { rcode: string; type: string; records: string[]; truncated: boolean };
/** A run with its set of data; null: no answer. */
export type SetRun = Span & { found: Found | null };

/** Pure: the set of data of a run. */
export function setRun({ region, firstAt, lastAt, dns }: AnswerRun, type: string): SetRun {
  return { region, first_at: firstAt, last_at: lastAt, found: dns === null ? null : setOf(dns, type) };
}

/** Pure: neighbouring runs of a region with the same set become one, in the order in which they begin. */
export function joinRuns(runs: readonly SetRun[]): SetRun[] {
  const joined: SetRun[] = [];
  const latest = new Map<string, SetRun>();
  for (const run of runs) {
    const before = latest.get(run.region);
    if (before !== undefined && isSame(before.found, run.found)) {
      before.last_at = run.last_at;
      continue;
    }
    const copy = { ...run };
    latest.set(run.region, copy);
    joined.push(copy);
  }
  return joined;
}

/**
 * Pure: which set of data was answered when, oldest first, of joined runs. Runs without an answer end a set, so that it
 * is not said to have held meanwhile. At most the newest `max` sets; `completeFromMs` is since when none is left out.
 * `isFinal` if older runs would not change the answer.
 */
export function answerSets(
  joined: readonly SetRun[],
  max: number,
): { sets: AnswerSet[]; completeFromMs: number | null; isFinal: boolean } {
  const runs = joined.filter(({ found }) => found !== null);
  const [left, newest] = [runs.slice(0, -max), runs.slice(-max)];
  const first = new Set(firstOfRegions(joined));
  return {
    sets: newest.flatMap(({ found, ...span }) => (found === null ? [] : { ...span, ...found })),
    completeFromMs: left.length === 0 ? null : Math.max(...left.map(({ last_at }) => last_at)) + 1,
    // The first run of a region may have begun earlier.
    isFinal: left.length > 0 && !newest.some(run => first.has(run)),
  };
}

function firstOfRegions(joined: readonly SetRun[]): SetRun[] {
  const first = new Map<string, SetRun>();
  for (const run of joined) if (!first.has(run.region)) first.set(run.region, run);
  return [...first.values()];
}

/** The data of the records of the type; of another type in answers to another query, as the monitor asked it then. */
function setOf({ rcode, truncated, answers }: NonNullable<AnswerRun['dns']>, type: string): Found {
  const own = answers.some(answer => answer.type === type) ? type : answers.find(isNoAlias)?.type;
  const records = answers.filter(answer => answer.type === own).map(({ data }) => data);
  return { rcode, type: own ?? type, records: [...new Set(records)].sort(), truncated };
}

function isNoAlias({ type }: { type: string }): boolean {
  return type !== 'CNAME' && type !== 'DNAME' && type !== 'RRSIG';
}

function isSame(left: Found | null, right: Found | null): boolean {
  if (left === null || right === null) return left === right;
  return (
    left.rcode === right.rcode &&
    left.type === right.type &&
    left.truncated === right.truncated &&
    left.records.length === right.records.length &&
    left.records.every((record, index) => record === right.records[index])
  );
}
