const hourMs = 3_600_000;
/** Results are stored for 30 days. */
const keptHours = 720;

/** The part of a range that results can be stored of. */
export function rangeQuery(nowMs: number, hours: number): { from: string } {
  return { from: new Date(nowMs - Math.min(hours, keptHours) * hourMs).toISOString() };
}

/** A sentence with a blank behind it, if not all of the range is shown. */
export function describeSince(completeFrom: string, nowMs: number, hours: number): string {
  const shownHours = (nowMs - Date.parse(completeFrom)) / hourMs;
  if (shownHours >= Math.min(hours, keptHours) - 0.1) return hours > keptHours ? 'The last 30 days. ' : '';
  if (shownHours >= 48) return `The newest results alone: ${Math.floor(shownHours / 24)} days. `;
  return `The newest results alone: ${shownHours.toFixed(1)} hours. `;
}
