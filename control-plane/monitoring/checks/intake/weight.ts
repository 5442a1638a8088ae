import type { Reported } from './prepare.ts';

/** An ordinary result weighs one. */
const charactersOfOne = 2048;

/** What a result weighs in a queue: its outcomes may have 30,000 characters. */
export function weightOf({ result }: Reported): number {
  let characters = 0;
  for (const { expected, actual } of result.assertions) characters += expected.length + (actual?.length ?? 0);
  return 1 + Math.floor(characters / charactersOfOne);
}
