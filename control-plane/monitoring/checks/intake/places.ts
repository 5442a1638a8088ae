import type { Reported } from './prepare.ts';

const charactersPerPlace = 2048;

/** How many places of a queue a result takes: its outcomes may hold 30,000 characters. */
export function placesOf({ result }: Reported): number {
  let characters = 0;
  for (const { expected, actual } of result.assertions) characters += expected.length + (actual?.length ?? 0);
  return 1 + Math.floor(characters / charactersPerPlace);
}
