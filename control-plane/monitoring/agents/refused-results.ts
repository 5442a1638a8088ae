/** What the agent is to drop, by its sequence number. */
export function refusedOf(
  results: readonly unknown[],
  refusals: readonly (string | null)[],
): { seq: number; reason: string }[] {
  return results.flatMap((result, index) => {
    const reason = refusals[index] ?? null;
    const seq = (result as { seq?: unknown } | null)?.seq;
    return reason !== null && Number.isSafeInteger(seq) ? [{ seq: seq as number, reason }] : [];
  });
}
