/** Properties of a monitor that selectors compare like labels. */
export const properties = ['@id', '@name', '@kind'] as const;
export type Property = (typeof properties)[number];

/** What one term asks of a label or property. `in` and `not_in` compare with any of the values. */
export type Term = {
  key: string;
  operator: 'exists' | 'not_exists' | 'in' | 'not_in';
  values: readonly string[];
};

/** All terms must hold; without a term, as of `*`, everything matches. */
export type Selector = { terms: readonly Term[] };

/** What a selector looks at. */
export type Subject = { id: string; name: string; kind: string; labels: Readonly<Record<string, string>> };

/** Whether all terms of the selector hold. `control-plane/platform/selectors/compile.ts` says the same in SQL. */
export function matches({ terms }: Selector, subject: Subject): boolean {
  return terms.every(term => holds(term, valueAt(term.key, subject)));
}

function holds({ operator, values }: Term, value: string | null): boolean {
  switch (operator) {
    case 'exists':
      return value !== null;
    case 'not_exists':
      return value === null;
    case 'in':
      return value !== null && values.includes(value);
    case 'not_in':
      return value === null || !values.includes(value);
    default:
      return operator satisfies never;
  }
}

function valueAt(key: string, { id, name, kind, labels }: Subject): string | null {
  if (key === '@id') return id;
  if (key === '@name') return name;
  if (key === '@kind') return kind;
  return Object.hasOwn(labels, key) ? (labels[key] ?? null) : null;
}
