/** Longer names are never compared: the work grows with the product of the lengths. */
const lengthMax = 64;

/** The known name nearest to a misspelt one; null when none is within a third of its length in edits. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > lengthMax) return null;
  let nearest: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (edits > Math.floor(Math.max(name.length, candidate.length) / 3) || edits >= least) continue;
    nearest = candidate;
    least = edits;
  }
  return nearest;
}

/** Insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment). */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let edits = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (isSame ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        edits = Math.min(edits, at(beforeLast, column - 2) + 1);
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
