import type { DnsFacts } from '#shared/checks/facts.ts';

/** What results of a region in a row were answered, from the first to the last of them; null: nothing. */
export type AnswerRun = {
  region: string;
  firstAt: number;
  lastAt: number;
  dns: (Pick<DnsFacts, 'rcode' | 'truncated'> & { answers: { type: string; data: string }[] }) | null;
};
/** One set of data, whatever the order and TTL of its records. */
export type AnswerSet = {
  region: string;
  first_at: number;
  last_at: number;
  rcode: string;
  type: string;
  records: string[];
  truncated: boolean;
};

/**
 * Pure: which set of data was answered when, oldest first. Runs without an answer end a set, so that it is not said to
 * have held meanwhile. At most the newest `max` sets; `completeFromMs` is since when none is left out.
 */
export function answerSets(
  runs: readonly AnswerRun[],
  type: string,
  max: number,
): { sets: AnswerSet[]; completeFromMs: number | null } {
  const sets: AnswerSet[] = [];
  const latest = new Map<string, AnswerSet | null>();
  for (const { region, firstAt, lastAt, dns } of runs) {
    const before = latest.get(region) ?? null;
    const found = dns === null ? null : setOf(dns, type);
    if (before !== null && found !== null && isSame(before, found)) {
      before.last_at = lastAt;
      continue;
    }
    const set = found === null ? null : { region, first_at: firstAt, last_at: lastAt, ...found };
    latest.set(region, set);
    if (set !== null) sets.push(set);
  }
  const left = sets.slice(0, -max);
  const completeFromMs = left.length === 0 ? null : Math.max(...left.map(({ last_at }) => last_at)) + 1;
  return { sets: sets.slice(-max), completeFromMs };
}

type Found = Omit<AnswerSet, 'region' | 'first_at' | 'last_at'>;

/** The data of the records of the type; of another type in answers to another query, as the monitor asked it then. */
function setOf({ rcode, truncated, answers }: NonNullable<AnswerRun['dns']>, type: string): Found {
  const own = answers.some(answer => answer.type === type) ? type : answers.find(isNoAlias)?.type;
  const records = answers.filter(answer => answer.type === own).map(({ data }) => data);
  return { rcode, type: own ?? type, records: [...new Set(records)].sort(), truncated };
}

function isNoAlias({ type }: { type: string }): boolean {
  return type !== 'CNAME' && type !== 'DNAME' && type !== 'RRSIG';
}

function isSame(left: Found, right: Found): boolean {
  return (
    left.rcode === right.rcode &&
    left.type === right.type &&
    left.truncated === right.truncated &&
    left.records.length === right.records.length &&
    left.records.every((record, index) => record === right.records[index])
  );
}
