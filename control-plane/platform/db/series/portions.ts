const portion = 500;

/**
 * Deletes in portions until one is not full, each in a transaction of its own: there may be very many. `remove` deletes
 * at most as many as it is told and returns how many it deleted. Returns their sum.
 */
export async function inPortions(remove: (limit: number) => Promise<number>, limit = portion): Promise<number> {
  let sum = 0;
  for (let removed = limit; removed === limit; sum += removed) removed = await remove(limit);
  return sum;
}
