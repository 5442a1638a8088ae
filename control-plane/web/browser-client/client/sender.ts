import { jsonOf } from './json.ts';
import type { Warn } from './page.ts';
import { addItem, bodyOf, type Item, isItem, type Piece, trim } from './pieces.ts';
import { randomId } from './storage.ts';

const batchDelayMs = 500;
const saveDelayMs = 100;
const requestTimeoutMs = 15_000;
const retryDelayMaxMs = 60_000;
/** What a server may ask for at most: beyond 24 days a timer would run at once, and events are dropped after one. */
const retryAfterMaxMs = 3_600_000;
/** A page that has not said for so long that it is open is closed: an open one says so every 30 seconds. */
const orphanMs = 90_000;
const pageId = randomId();

export type Sender = ReturnType<typeof createSender>;

/**
 * The events of one project until the server has them, in memory and in localStorage. Each page has keys of its own, so
 * that two tabs never overwrite each other. A page adopts the events of closed pages; if two adopt the same ones, the
 * server stores them once.
 */
export function createSender(projectId: string, storage: Storage | null, warn: Warn) {
  const prefix = `flows:${projectId}:`;
  const ownKey = prefix + pageId;
  const pieces: Piece[] = [];
  /** Keys to delete with the next write. */
  const gone: string[] = [];
  let pieceCount = 0;
  let closed = false;
  /** From the event that says so to the end of its turn. */
  let hidden = false;
  let leaving = false;
  let failures = 0;
  let notBeforeMs = 0;
  let flushTimer: ReturnType<typeof setTimeout> | undefined;
  let saveTimer: ReturnType<typeof setTimeout> | undefined;
  let adoptTimer: ReturnType<typeof setTimeout> | undefined;

  const store = (write: (storage: Storage) => void): void => {
    try {
      if (storage) write(storage);
    } catch {
      // The storage is full: the events are still in memory.
    }
  };

  /** Writes what changed since the last time, and when that was: another page adopts what is old, or was closed. */
  const save = (): void => {
    clearTimeout(saveTimer);
    saveTimer = undefined;
    discard();
    store(storage => {
      for (const key of gone.splice(0)) storage.removeItem(key);
      if (pieces.length === 0) return storage.removeItem(ownKey);
      storage.setItem(ownKey, `${closed ? 0 : Date.now()}`);
      for (const piece of pieces) {
        if (!piece.saved) storage.setItem(piece.key, jsonOf(piece.items));
        piece.saved = true;
      }
    });
  };

  const saveSoon = (): void => {
    saveTimer ??= setTimeout(save, saveDelayMs);
  };

  const discard = (): void => {
    const dropped = trim(pieces, Date.now());
    for (const { key } of dropped) gone.push(key);
    if (dropped.length > 0) warn('events were dropped', 'too many or too old');
    // Nothing is left to retry: the next event is sent as if nothing had failed.
    if (pieces.length === 0) failures = notBeforeMs = 0;
  };

  /** A timer that already runs stays: a page that tracks all the time is not put off for ever. */
  const flushIn = (ms: number): void => {
    flushTimer ??= setTimeout(() => {
      flushTimer = undefined;
      notBeforeMs = 0;
      flush();
    }, ms);
  };

  const retryLater = (piece: Piece, retryAfterMs: number): void => {
    piece.sent = false;
    failures += 1;
    notBeforeMs = Date.now() + retryAfterMs;
    clearTimeout(flushTimer);
    flushTimer = undefined;
    flushIn(Math.max(retryAfterMs, Math.min(retryDelayMaxMs, 1000 * 2 ** failures) * (0.5 + Math.random() / 2)));
  };

  /** Events leave the queue when the server has stored or refused them. */
  const send = async (piece: Piece): Promise<void> => {
    piece.sealed = piece.sent = true;
    // Browsers without AbortSignal.timeout would wait as long as they like.
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), requestTimeoutMs);
    try {
      const query = `project_id=${encodeURIComponent(projectId)}&sent_at=${Date.now()}`;
      const response = await fetch(`${sender.endpoint}?${query}`, {
        method: 'POST',
        body: bodyOf(piece),
        headers: { 'Content-Type': 'text/plain' },
        keepalive: true,
        credentials: 'omit',
        signal: abort.signal,
      });
      const { status } = response;
      if (status === 429 || status === 408 || status >= 500) return retryLater(piece, retryAfterOf(response));
      // A success without JSON is not from our server, but from a portal that wants a sign-in first.
      const answer = await response.json().catch(error => {
        if (status !== 202 && status < 400) throw error;
      });
      failures = 0;
      pieces.splice(pieces.indexOf(piece), 1);
      gone.push(piece.key);
      saveSoon();
      sendNext();
      const error = answer?.errors?.[0];
      if (error || status >= 400)
        warn('events were refused', error ? `${error.pointer} ${error.detail}` : (answer?.detail ?? status));
    } catch {
      if (pieces.includes(piece)) retryLater(piece, 0);
    } finally {
      clearTimeout(timer);
      // An answer that is not read to its end counts as a request under way, and browsers allow those 64 KiB in all.
      abort.abort();
    }
  };

  /** Sends a full piece at once, others a moment later; after a failure its timer sends. */
  const sendNext = (): void => {
    if (failures || !pieces[0]) return;
    if (pieces[0].sealed) flush();
    else flushIn(batchDelayMs);
  };

  const flush = (): void => {
    if (Date.now() < notBeforeMs || pieces.some(piece => piece.sent)) return;
    discard();
    if (pieces[0]) void send(pieces[0]);
  };

  const add = (item: Item): boolean => addItem(pieces, item, `${ownKey}:${pieceCount++}`);

  const isLeft = (key: string, storage: Storage): boolean => {
    const owner = prefix + key.slice(prefix.length).split(':')[0];
    return key.startsWith(prefix) && owner !== ownKey && !(Number(storage.getItem(owner)) > Date.now() - orphanMs);
  };

  /** Adopts one piece, and the next one later: 2 MB at once would hold up the page. */
  const adoptNext = (): void => {
    store(storage => {
      const key = Object.keys(storage).find(key => isLeft(key, storage));
      if (key === undefined) return;
      const text = storage.getItem(key) ?? '';
      storage.removeItem(key);
      // Only now: a storage that does not remove would have the same one for ever.
      adoptTimer = setTimeout(adoptNext, saveDelayMs);
      for (const item of JSON.parse(text)) if (isItem(item)) add(item);
    });
    save();
    sendNext();
  };

  const flushAll = (): void => {
    for (const piece of pieces) piece.sealed = true;
    flush();
  };

  /** Stores and sends what there is: of a page that closes everything at once. */
  const leave = (): void => {
    leaving = false;
    save();
    if (!closed) return flushAll();
    for (const piece of pieces) if (!piece.sent) void send(piece);
  };

  /** What the page's own listeners track later in this turn leaves, too: for a page that closes it is the last one. */
  const hide = (): void => {
    hidden = true;
    setTimeout(() => {
      hidden = false;
    });
    leave();
  };

  const sender = {
    endpoint: '',
    flush: flushAll,
    hide,
    track: (item: Item): void => {
      const filled = add(item);
      saveSoon();
      // A loop of calls leaves no time for the timer, and must not fill the memory.
      if (filled) discard();
      sendNext();
      if (hidden && !leaving) Promise.resolve().then(leave);
      leaving = hidden;
    },
    /** What fails is left for the next page. */
    close: (): void => {
      closed = true;
      hide();
    },
    /** Says that this page is open, and takes over the events of pages that are not. */
    adopt: (): void => {
      closed = false;
      clearTimeout(adoptTimer);
      adoptTimer = setTimeout(adoptNext, saveDelayMs);
    },
  };
  return sender;
}

/** Zero if there is none. A date is read by this page's clock. */
function retryAfterOf({ headers }: Response): number {
  const text = headers.get('retry-after');
  const ms = Number(text) * 1000 || Date.parse(`${text}`) - Date.now() || 0;
  return Math.min(Math.max(ms, 0), retryAfterMaxMs);
}
