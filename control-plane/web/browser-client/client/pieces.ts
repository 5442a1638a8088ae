/** A tracked event: its JSON without a timestamp, and when it happened by the page's clock. */
export type Item = [at: number, json: string];

/** Events that are stored and sent together. Once `sealed` it takes no more. */
export type Piece = { key: string; items: Item[]; bytes: number; sealed: boolean; sent: boolean; saved: boolean };

/** Browsers allow 64 KiB in all for bodies of requests that outlive their page. */
const pieceBytesMax = 60_000;
const pieceItemsMax = 100;
const itemsMax = 2000;
const bytesMax = 2_000_000;
const dayMs = 86_400_000;
/** The last time that a date can have. */
const timeMax = 8.64e15;
/** A timestamp with its field name, and a comma. */
const timestampBytes = 41;

/** Whether this, read from storage, can be sent. */
export function isItem(value: unknown): value is Item {
  const [at, json] = Array.isArray(value) ? value : [];
  return at < timeMax && typeof json === 'string';
}

export function bytesOf(json: string): number {
  return new TextEncoder().encode(json).length + timestampBytes;
}

/** Adds to the last piece, or to a new one named `key` if that is full. Returns true if a piece is full. */
export function addItem(pieces: Piece[], item: Item, key: string): boolean {
  const bytes = bytesOf(item[1]);
  const last = pieces.at(-1);
  if (last && last.bytes + bytes > pieceBytesMax) last.sealed = true;
  const piece = last?.sealed === false ? last : { key, items: [], bytes: 2, sealed: false, sent: false, saved: false };
  if (piece !== last) pieces.push(piece);
  piece.items.push(item);
  piece.bytes += bytes;
  piece.saved = false;
  piece.sealed = piece.items.length >= pieceItemsMax;
  return piece.sealed || (last !== undefined && piece !== last);
}

/** Takes out what is too old or beyond the bounds, oldest first, except what is being sent. Returns what it took. */
export function trim(pieces: Piece[], nowMs: number): Piece[] {
  let items = 0;
  let bytes = 0;
  const dropped: Piece[] = [];
  for (let index = pieces.length - 1; index >= 0; index--) {
    const piece = pieces[index] as Piece;
    const fresh = piece.items.filter(([at]) => at > nowMs - dayMs);
    items += fresh.length;
    bytes += piece.bytes;
    if (piece.sent) continue;
    if (fresh.length === 0 || items > itemsMax || bytes > bytesMax) dropped.push(...pieces.splice(index, 1));
    else piece.items = fresh;
  }
  return dropped;
}

/** The body of a request, with the times as timestamps. */
export function bodyOf(piece: Piece): string {
  return `[${piece.items.map(([at, json]) => `{"timestamp":"${new Date(at).toISOString()}",${json.slice(1)}`)}]`;
}
