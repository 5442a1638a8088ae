import type { DnsAnswers } from '../../../session/api-types.ts';
import { type Shown, type Stretch, stretches } from './stretches.ts';

type Answer = DnsAnswers['data'][number];
/** One set of records, whichever region was answered with it, and when last; its letter and color are its own. */
export type AnswerSet = { id: string; letter: string; color: number; text: string; regions: string[]; lastAt: string };
/** A region's answers in turn; the kind of a stretch is the ID of its set. */
export type AnswerRow = { region: string; found: Stretch[] };
/** A region that was answered with another set than before. */
export type AnswerChange = { at: string; region: string; before: string; after: string };

const colorCount = 6;

/** The sets, those that were answered last first. */
export function answerSetsOf(data: readonly Answer[]): AnswerSet[] {
  const byId = Map.groupBy(data, idOf);
  return [...byId]
    .map(([id, answers]) => ({
      id,
      text: textOf(answers[0]),
      regions: [...new Set(answers.map(({ region }) => region))].sort(),
      lastAt: answers.reduce((last, { last_at }) => (last_at > last ? last_at : last), ''),
    }))
    .sort((left, right) => right.lastAt.localeCompare(left.lastAt) || left.id.localeCompare(right.id))
    .map((set, index) => ({ ...set, letter: letterOf(index), color: (index % colorCount) + 1 }));
}

/** A row for each region. An answer lasts until the next check, if that was answered, too. */
export function answerRows(data: readonly Answer[], shown: Shown, intervalMs: number): AnswerRow[] {
  return [...Map.groupBy(data, ({ region }) => region)]
    .map(([region, answers]) => {
      const spans = answers.map((answer, index) => {
        const next = answers[index + 1];
        const end = Date.parse(answer.last_at) + 1.5 * intervalMs;
        return {
          kind: idOf(answer),
          from: Date.parse(answer.first_at),
          to: next === undefined ? end : Math.min(end, Date.parse(next.first_at)),
        };
      });
      return { region, found: stretches(spans, shown) };
    })
    .sort((left, right) => left.region.localeCompare(right.region));
}

/** Every change, the newest first. */
export function answerChanges(data: readonly Answer[]): AnswerChange[] {
  return [...Map.groupBy(data, ({ region }) => region)]
    .flatMap(([region, answers]) =>
      answers.flatMap((answer, index) => {
        const before = answers[index - 1];
        if (before === undefined || idOf(before) === idOf(answer)) return [];
        return [{ at: answer.first_at, region, before: idOf(before), after: idOf(answer) }];
      }),
    )
    .sort((left, right) => right.at.localeCompare(left.at) || left.region.localeCompare(right.region));
}

function idOf({ rcode, type, records, truncated }: Answer): string {
  return JSON.stringify([rcode, type, truncated, records]);
}

function textOf(answer: Answer | undefined): string {
  if (answer === undefined) return '';
  const { rcode, type, records, truncated } = answer;
  const all = records.length === 0 ? `no ${type} record` : `${type} ${records.join(', ')}`;
  return `${rcode === 'NOERROR' ? '' : `${rcode}, `}${all}${truncated ? ' and more' : ''}`;
}

/** A to Z, then A2 and so on. */
function letterOf(index: number): string {
  const round = Math.floor(index / 26);
  return `${String.fromCharCode(65 + (index % 26))}${round === 0 ? '' : round + 1}`;
}
