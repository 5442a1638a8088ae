/**
 * Pure: a list in which the managed ones are in the order of the documents, on the positions that they have together;
 * a new one comes after the one before it in the documents. `present` has the new ones at its end.
 */
export function orderOf(
  present: readonly string[],
  documents: readonly string[],
  isNew: ReadonlySet<string>,
): string[] {
  const managed = new Set(documents.filter(id => present.includes(id)));
  const settled = documents.filter(id => managed.has(id) && !isNew.has(id));
  const next = settled[Symbol.iterator]();
  const ordered = present.filter(id => !isNew.has(id)).map(id => (managed.has(id) ? (next.next().value ?? id) : id));
  for (const [index, id] of documents.entries()) {
    if (!isNew.has(id) || !managed.has(id)) continue;
    const before = documents[index - 1];
    const at = before === undefined ? -1 : ordered.indexOf(before);
    ordered.splice(at === -1 ? ordered.length : at + 1, 0, id);
  }
  return ordered;
}
