import { z } from 'zod';
import { dayMs } from '#shared/duration.ts';
import type { ValidFields } from '../../platform/http/bodies/parse-body.ts';
import { timestampSchema } from '../../platform/http/endpoint/parameters.ts';
import { lineSchema } from '../../platform/http/line.ts';
import type { FieldError } from '../../platform/http/problem.ts';

/** Rows of one request. A longer history comes in parts. */
const rowsMax = 10_000;
const pastMaxMs = 400 * dayMs;

const importedVerdicts = ['up', 'down', 'paused', 'undetermined'] as const;

export const historyPostSchema = z.object({
  source: lineSchema(50).describe('Tool that the history comes from, shown beside it.'),
  from: timestampSchema.describe('Start of the part of the history that is replaced, at most 400 days ago.'),
  until: timestampSchema.describe('End of that part, at most the start of the monitor’s own history.'),
  rows: z
    .array(
      z.object({
        since: timestampSchema.describe('Start of the verdict, which holds until the next row.'),
        verdict: z.enum(importedVerdicts).describe('Verdict of the other tool.'),
        estimated: z
          .boolean()
          .default(false)
          .describe('Whether the length of the verdict is known, but not when it began.'),
      }),
    )
    .max(rowsMax)
    .describe('Verdicts in order of time, all within the part.'),
});
export type HistoryPost = z.output<typeof historyPostSchema>;

export const historyAnswerSchema = z
  .object({ rows: z.int().describe('Rows of this source that the monitor has in the part now.') })
  .meta({ title: 'ImportedHistory' });

/** Pure: what is wrong with the times; `ownFrom` is the start of the monitor's own history. */
export function historyErrors(
  { from, until, rows }: ValidFields<HistoryPost>,
  ownFrom: number,
  nowMs: number,
): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (pointer: string, detail: string) => errors.push({ pointer, code: 'out_of_range', detail });
  if (from !== undefined && from < nowMs - pastMaxMs) refuse('/from', 'must be at most 400 days ago');
  if (until !== undefined && until > ownFrom)
    refuse('/until', `must not be after the monitor’s own history, which begins at ${new Date(ownFrom).toISOString()}`);
  if (from === undefined || until === undefined || rows === undefined) return errors;
  if (until <= from) refuse('/until', 'must be after `from`');
  for (const [index, { since }] of rows.entries()) {
    const before = rows[index - 1]?.since ?? Number.NEGATIVE_INFINITY;
    if (since < from || since >= until) refuse(`/rows/${index}/since`, 'must be from `from` to before `until`');
    else if (since <= before) refuse(`/rows/${index}/since`, 'must be after that of the row before');
  }
  return errors;
}

/** A row to store. */
export type ImportedRow = HistoryPost['rows'][number];

/** Pure: rows of the part, with the time before the first of them without a verdict. */
export function rowsOf({ from, rows }: HistoryPost): ImportedRow[] {
  const [first] = rows;
  if (first === undefined) return [];
  const before: ImportedRow[] = first.since > from ? [{ since: from, verdict: 'undetermined', estimated: false }] : [];
  const added: ImportedRow[] = [];
  for (const row of [...before, ...rows]) {
    const last = added.at(-1);
    if (last?.verdict !== row.verdict || last.estimated !== row.estimated) added.push(row);
  }
  return added;
}
