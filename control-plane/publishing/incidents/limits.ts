import { fits, type Held, updateLimits } from '../../monitoring/maintenances/updates/limits.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';

/** Texts that edits have replaced are stored, of all updates of an incident together. */
const replacedMax = 4 * updateLimits.characters;

/** Throws `validation_failed` when the incident cannot take another update with this body. */
export function assertCapacity(current: Held, body: string): void {
  if (fits(current, body)) return;
  const limits = `${updateLimits.updates} updates and ${updateLimits.characters} characters in total`;
  throw fieldProblem('/body', 'too_long', `does not fit: an incident can have ${limits}; open another incident`);
}

/** Throws `limit_reached` when the incident cannot store another replaced text. */
export function assertEditable(replacedCharacters: number, present: string): void {
  if (replacedCharacters + present.length <= replacedMax) return;
  const detail =
    'the updates of the incident were edited too often, as each former text is stored: post another update';
  throw new Problem('limit_reached', { detail });
}
