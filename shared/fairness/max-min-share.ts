/** Pure: how much each may use at most, so that all together use no more than `total`; no limit if they do anyway. */
export function maxMinShare(used: readonly number[], total: number): number {
  let left = total;
  let others = used.length;
  for (const amount of used.toSorted((one, other) => one - other)) {
    if (amount > left / others) return left / others;
    left -= amount;
    others--;
  }
  return Number.POSITIVE_INFINITY;
}
