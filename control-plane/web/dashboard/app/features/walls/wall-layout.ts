/** A screen's tiles: how many columns and rows, and how many of the monitors get one. */
export type WallLayout = { columns: number; rows: number; shown: number };

/** A tile is not smaller: its name must be readable from across a room. */
const least = { width: 150, height: 64 };
const aspect = 2.4;

/** The largest tiles of one shape that fit `count` of them into a screen, or as many as are still readable. */
export function wallLayout(count: number, width: number, height: number): WallLayout {
  const columnsMax = Math.max(1, Math.floor(width / least.width));
  const rowsMax = Math.max(1, Math.floor(height / least.height));
  // What does not fit is counted in the last tile.
  const shown = count <= columnsMax * rowsMax ? count : columnsMax * rowsMax - 1;
  const tiles = Math.max(1, count > shown ? shown + 1 : shown);
  let best: WallLayout = { columns: columnsMax, rows: Math.ceil(tiles / columnsMax), shown };
  let bestSize = 0;
  for (let columns = 1; columns <= Math.min(columnsMax, tiles); columns++) {
    const rows = Math.ceil(tiles / columns);
    if (rows > rowsMax) continue;
    const size = Math.min(width / columns, (height / rows) * aspect);
    if (size > bestSize) [best, bestSize] = [{ columns, rows, shown }, size];
  }
  return best;
}

/** The tiles of one status together need attention in this order. */
const urgency = ['down', 'undetermined', 'degraded', 'pending', 'maintenance', 'up', 'paused'];

/** `2 down · 1 degraded · 37 up`: only what there is, the worst first. */
export function describeCounts(counts: Readonly<Record<string, number>>): string {
  const words: Record<string, string> = { maintenance: 'in maintenance' };
  const known = urgency.filter(status => (counts[status] ?? 0) > 0);
  return known.map(status => `${counts[status]} ${words[status] ?? status}`).join(' · ');
}

/** The state of the whole screen. */
export function worstStatus(counts: Readonly<Record<string, number>>): string | null {
  return urgency.find(status => status !== 'paused' && (counts[status] ?? 0) > 0) ?? null;
}

const staleAfterMs = 20_000;

/** What a screen says of its data's age; null while it is current. `asOfMs`: when it last got an answer. */
export function describeStale(asOfMs: number | null, nowMs: number): 'current' | 'stale' | 'never' {
  if (asOfMs === null) return 'never';
  return nowMs - asOfMs > staleAfterMs ? 'stale' : 'current';
}

/** How long to wait before the next reading: longer after failures, at most half a minute. */
export function nextReadMs(failures: number): number {
  return Math.min(30_000, 5000 * 2 ** Math.min(failures, 3));
}
