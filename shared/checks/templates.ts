/** Names that a step may give to what it takes from its answer. */
export const variableName = /^[a-z][a-z0-9_]{0,39}$/;
/** What `{{run.id}}` refers to: a text that is new in each attempt. */
export const runId = 'run.id';

/** How a value is written where it stands: as it is, escaped for a JSON string, or percent-encoded. */
const templateFilters = ['json', 'url'] as const;
type TemplateFilter = (typeof templateFilters)[number];

/** `{{name}}` or `{{name|filter}}`; `filter` is null without one, and undefined for a word that is none. */
type Reference = { text: string; name: string; filter: TemplateFilter | null | undefined };

/** Braces within braces belong to no reference: a JSON body has many. */
const reference = /\{\{([^{}]{1,200})\}\}/g;

/** The references of a text, in order. */
export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(reference)].map(([whole, inner = '']) => toReference(whole, inner));
}

/**
 * The text with each reference replaced by its value, which is written as the filter says; in a URL it is
 * percent-encoded in any case. What is no reference stays as it is.
 */
export function render(text: string, valueFor: (name: string) => string, { isUrl = false } = {}): string {
  return text.replace(reference, (whole, inner: string) => {
    const { name, filter } = toReference(whole, inner);
    if (filter === undefined) return whole;
    const value = filter === 'json' ? JSON.stringify(valueFor(name)).slice(1, -1) : valueFor(name);
    return isUrl || filter === 'url' ? encodeURIComponent(value.toWellFormed()) : value;
  });
}

/** The text with each reference replaced by what a URL may have anywhere, and back again. */
export function throughUrl(text: string, change: (text: string) => string): string {
  const references = text.match(reference) ?? [];
  if (references.length === 0) return change(text);
  let mark = 'upq';
  while (text.includes(mark)) mark += 'q';
  let next = 0;
  const changed = change(text.replace(reference, () => `${mark}${next++}z`));
  return references.reduce((whole, one, index) => whole.replace(`${mark}${index}z`, () => one), changed);
}

function toReference(text: string, inner: string): Reference {
  const at = inner.indexOf('|');
  if (at < 0) return { text, name: inner, filter: null };
  const filter = templateFilters.find(one => one === inner.slice(at + 1));
  return { text, name: inner.slice(0, at), filter };
}
