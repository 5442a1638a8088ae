import { Fragment } from './sql.ts';

/** Joins fragments with a separator of ours, such as `, ` or ` and `. Empty for none. */
export function joinFragments(fragments: readonly Fragment[], separator: string): Fragment {
  if (fragments.length === 0) return new Fragment([''], []);
  return new Fragment(['', ...fragments.slice(1).map(() => separator), ''], fragments);
}

/** A whole number as text of the statement instead of a parameter. Throws for any other value. */
export function integerLiteral(value: number): Fragment {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not an integer`);
  return new Fragment([String(value)], []);
}
