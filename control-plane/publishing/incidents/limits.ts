import { fieldProblem, Problem } from '../../platform/http/problem.ts';

const updatesMax = 500;
const charactersMax = 250_000;
/** Texts that edits have replaced are stored, of all updates of an incident together. */
const replacedMax = 4 * charactersMax;

/**
 * Throws `validation_failed` when the incident cannot take another update with this body. Readers of an incident get
 * all of its updates in one document, so both their number and their length are limited.
 */
export function assertCapacity(current: { updates: number; characters: number }, body: string): void {
  if (current.updates < updatesMax && current.characters + body.length <= charactersMax) return;
  const limits = `${updatesMax} updates and ${charactersMax} characters in total`;
  throw fieldProblem('/body', 'too_long', `does not fit: an incident can have ${limits}; open another incident`);
}

/** Throws `limit_reached` when the incident cannot store another replaced text. */
export function assertEditable(replacedCharacters: number, present: string): void {
  if (replacedCharacters + present.length <= replacedMax) return;
  const detail =
    'the updates of the incident were edited too often, as each former text is stored: post another update';
  throw new Problem('limit_reached', { detail });
}
