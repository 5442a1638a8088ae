import { fieldProblem } from '../../../platform/http/problem.ts';

/** Readers get all updates of an incident, or of a window, in one document: number and length are limited. */
export const updateLimits = { updates: 500, characters: 250_000 };

/** What the updates of one incident or window hold together. */
export type Held = { updates: number; characters: number };

/** Whether another update with this body fits. */
export function fits(current: Held, body: string): boolean {
  return current.updates < updateLimits.updates && current.characters + body.length <= updateLimits.characters;
}

/** Throws `validation_failed` when a window cannot take another update with this body. */
export function assertCapacity(current: Held, body: string): void {
  if (fits(current, body)) return;
  const limits = `${updateLimits.updates} updates and ${updateLimits.characters} characters in total`;
  throw fieldProblem('/body', 'too_long', `does not fit: a maintenance window can have ${limits}`);
}
