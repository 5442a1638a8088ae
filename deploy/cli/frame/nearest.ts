/** Pure: the name that was probably meant, null if none is near. */
export function nearest(given: string, names: readonly string[]): string | null {
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    const distance = name.startsWith(given) && given !== '' ? 1 : distanceOf(given, name);
    if (distance <= Math.max(1, name.length / 3) && (best === null || distance < best.distance))
      best = { name, distance };
  }
  return best?.name ?? null;
}

/** Pure: how many letters have to be added, removed, changed or swapped. */
function distanceOf(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const isSame = left[i - 1] === right[j - 1];
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const at = (list: readonly number[], index: number) => list[index] ?? 0;
      const cost = Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (isSame ? 0 : 1));
      next.push(isSwap ? Math.min(cost, at(before, j - 2) + 1) : cost);
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? 0;
}
