import { Problem } from '../../platform/http/problem.ts';

/** A resource that is not as the plan saw it. */
type Changed = { type: string; key: string; id: string | null };

const shownMax = 100;

export function stale(changed: readonly Changed[]): Problem {
  return new Problem('plan_stale', { extra: { changed: changed.slice(0, shownMax) } });
}

/** Pure: what a basis says of a resource, as `plan_stale` names it. */
export function changedOf(name: string, seenAs = 'none'): Changed {
  const [type = '', key = ''] = name.split(' ');
  const [id = ''] = seenAs.split(' ');
  return { type, key, id: id === 'none' ? null : id };
}

/** Whether a resource changed after it was compared, and before it was written. */
export function isOvertaken(error: unknown): error is Problem {
  return error instanceof Problem && (error.code === 'changed_since' || error.code === 'not_found');
}
