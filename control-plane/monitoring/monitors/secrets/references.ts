// What opens like a reference and is none has no name.
const reference = /\{\{secret\.(?:([A-Z][A-Z0-9_]{0,63})(?:\|(json|url))?\}\})?/g;

/** The names in a text, each once; `malformed`: something in it opens like a reference and is none. */
export function referencesIn(text: string): { names: string[]; malformed: boolean } {
  const found = [...text.matchAll(reference)].map(([, name]) => name);
  const names = new Set(found.filter(name => name !== undefined));
  return { names: [...names], malformed: found.includes(undefined) };
}

/** The text with values in place of references, escaped as each asks; those without a value stay. */
export function replaceReferences(text: string, valueNamed: (name: string) => string | undefined): string {
  return text.replace(reference, (whole, name: string | undefined, form: string | undefined) => {
    const value = name === undefined ? undefined : valueNamed(name);
    if (value === undefined) return whole;
    if (form === 'json') return JSON.stringify(value).slice(1, -1);
    return form === 'url' ? encodeURIComponent(value) : value;
  });
}

/** Whether the text is one reference and nothing else. */
export function isReference(text: string): boolean {
  return /^\{\{secret\.[A-Z][A-Z0-9_]{0,63}\}\}$/.test(text);
}
