import { fieldProblem } from '../http/problem.ts';

const updatesMax = 500;
const charactersMax = 250_000;

/** Every reader of an incident gets all of its updates: throws `validation_failed` for one that would make them too many. */
export function refuseTooMuch(held: { updates: number; characters: number }, body: string): void {
  if (held.updates < updatesMax && held.characters + body.length <= charactersMax) return;
  const detail = `does not fit: an incident holds ${updatesMax} updates and ${charactersMax} characters at most, open another one`;
  throw fieldProblem('/body', 'too_long', detail);
}
