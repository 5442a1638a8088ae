import { fieldProblem } from '../http/problem.ts';

const updatesMax = 500;
const charactersMax = 250_000;

/**
 * Throws `validation_failed` when the incident cannot take another update with this body. Readers of an incident get
 * all of its updates in one document, so both their number and their length are limited.
 */
export function assertCapacity(current: { updates: number; characters: number }, body: string): void {
  if (current.updates < updatesMax && current.characters + body.length <= charactersMax) return;
  const limits = `${updatesMax} updates and ${charactersMax} characters in total`;
  throw fieldProblem('/body', 'too_long', `does not fit: an incident can have ${limits}; open another incident`);
}
