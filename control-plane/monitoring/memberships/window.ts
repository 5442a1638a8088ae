/** A time of which one monitor is in maintenance: where its membership and an occurrence overlap. */
export type Span = { start: number; end: number };

/** The same with what follows when it ends. */
export type SuppressedSpan = Span & { settleMs: number };

/** Pure: spans that touch or overlap become one; ascending. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const { start, end } of spans.toSorted((left, right) => left.start - right.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/**
 * Pure: whether an alert is suppressed at an instant. `suppressed`: some span covers it, up to `end`, over spans that
 * touch. `settling`: none does any more, and notifications go out at `releaseAt`. Null: neither.
 */
export function suppressionAt(
  spans: readonly SuppressedSpan[],
  suppressedSince: number,
  atMs: number,
): { state: 'suppressed'; end: number } | { state: 'settling'; end: number; releaseAt: number } | null {
  const merged = mergeSpans(spans);
  const covering = merged.find(({ start, end }) => start <= atMs && atMs < end);
  if (covering !== undefined) return { state: 'suppressed', end: covering.end };
  const last = merged.findLast(({ start, end }) => end <= atMs && end > suppressedSince && start <= end);
  if (last === undefined) return null;
  const settles = spans.filter(({ end }) => end === last.end).map(({ settleMs }) => settleMs);
  return { state: 'settling', end: last.end, releaseAt: last.end + Math.max(0, ...settles) };
}

/** Pure: how much of [from, to) lies outside of all spans. */
export function outsideMs(spans: readonly Span[], from: number, to: number): number {
  const inside = mergeSpans(spans).reduce(
    (sum, { start, end }) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)),
    0,
  );
  return Math.max(0, to - from) - inside;
}
