/**
 * Pure: a list in which the managed ones are in the order of the documents, on the positions that they have together;
 * a new one makes its position after the one before it in the documents, the first one at the end. `present` has the
 * new ones at its end. Ordered again without new ones, the list stays as it is.
 */
export function orderOf(
  present: readonly string[],
  documents: readonly string[],
  isNew: ReadonlySet<string>,
): string[] {
  const managed = new Set(documents.filter(id => present.includes(id)));
  const sorted = (list: readonly string[]) => {
    const listed = new Set(list);
    const next = documents.filter(id => managed.has(id) && listed.has(id))[Symbol.iterator]();
    return list.map(id => (managed.has(id) ? (next.next().value ?? id) : id));
  };
  const ordered = sorted(present.filter(id => !isNew.has(id)));
  for (const [index, id] of documents.entries()) {
    if (!isNew.has(id) || !managed.has(id)) continue;
    const before = documents[index - 1];
    const at = before === undefined ? -1 : ordered.indexOf(before);
    ordered.splice(at === -1 ? ordered.length : at + 1, 0, id);
  }
  return sorted(ordered);
}
