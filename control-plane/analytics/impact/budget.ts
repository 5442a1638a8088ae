/** How many events may still be read for an answer. */
export type Budget = { left: number };

/** Reads within the budget; null if it does not suffice. */
export async function spend<Read extends { events: number }>(
  budget: Budget,
  read: (limit: number) => Promise<Read>,
): Promise<Read | null> {
  const result = await read(budget.left + 1);
  budget.left -= result.events;
  return budget.left < 0 ? null : result;
}
