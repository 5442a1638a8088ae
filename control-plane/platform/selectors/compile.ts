import { joinFragments } from '../db/compose-sql.ts';
import { type Fragment, fragment } from '../db/sql.ts';
import type { Selector, Term } from './selector.ts';

/** What stands for a subject in a statement: expressions for its properties, and its labels as jsonb. */
export type SubjectColumns = { id: Fragment; name: Fragment; kind: Fragment; labels: Fragment };

/** The subject that a row of `monitors m` is. */
export const monitorSubject: SubjectColumns = {
  id: fragment`m.id`,
  name: fragment`m.name`,
  kind: fragment`m.kind`,
  labels: fragment`m.labels`,
};

/**
 * The condition that all terms of the selector hold; it is true or false, never null. No selector is no condition.
 * Statements with it are composed for one call.
 */
export function selectorCondition(selector: Selector | null, columns: SubjectColumns): Fragment {
  if (selector === null || selector.terms.length === 0) return fragment`true`;
  return joinFragments(
    selector.terms.map(term => condition(term, valueAt(term.key, columns))),
    ' and ',
  );
}

function condition({ operator, values }: Term, value: Fragment): Fragment {
  switch (operator) {
    case 'exists':
      return fragment`(${value}) is not null`;
    case 'not_exists':
      return fragment`(${value}) is null`;
    case 'in':
      return fragment`((${value}) = any(${values}::text[])) is true`;
    case 'not_in':
      return fragment`((${value}) = any(${values}::text[])) is not true`;
    default:
      return operator satisfies never;
  }
}

function valueAt(key: string, { id, name, kind, labels }: SubjectColumns): Fragment {
  if (key === '@id') return id;
  if (key === '@name') return name;
  if (key === '@kind') return kind;
  return fragment`${labels}->>${key}::text`;
}
