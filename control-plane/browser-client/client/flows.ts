import { type Flows, type Options, page } from './page.ts';
import { createQueue, type Item, randomId, storeOf, toItem } from './queue.ts';

// The script that pages load: `flows.init(project, { external_id })`, `flows.track(name, props)`. It never throws into the page.

/** Bodies of requests that outlive their page may have 64 KiB together. */
const pieceBytes = 60_000;
const pieceItems = 100;
const eventBytes = 32 * 1024;
const batchMs = 500;
const retryMaxMs = 60_000;
const adoptMs = 30_000;
const identityEvent = 'upquorum:identity';

type Queue = ReturnType<typeof createQueue>;

function createFlows(source: string): Flows {
  let queue: Queue | null = null;
  let endpoint = '';
  let silent = false;
  const early: [string, Record<string, unknown> | undefined][] = [];
  let failures = 0;
  let notBefore = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const later = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(flush, ms);
  };

  const failed = (items: readonly Item[], retryAfter: string | null): void => {
    for (const item of items) item.sent = false;
    queue?.save();
    failures += 1;
    const asked = Number(retryAfter ?? 0) * 1000 || 0;
    notBefore = Date.now() + asked;
    later(Math.max(asked, Math.min(retryMaxMs, 1000 * 2 ** failures) * (0.5 + Math.random() / 2)));
  };

  /** An event leaves the queue when the server has it or will never take it. */
  const send = async (items: readonly Item[]): Promise<void> => {
    for (const item of items) item.sent = true;
    try {
      const body = `[${items.map(item => item.json).join()}]`;
      const headers = { 'Content-Type': 'text/plain' };
      const answer = await fetch(endpoint, { method: 'POST', body, headers, keepalive: true, credentials: 'omit' });
      if (answer.status === 429 || answer.status === 408 || answer.status >= 500)
        return failed(items, answer.headers.get('retry-after'));
      failures = 0;
      queue?.remove(items);
      if (queue?.waiting().length) later(0);
    } catch {
      failed(items, null);
    }
  };

  const flush = (): void => {
    if (queue === null || queue.isBusy() || Date.now() < notBefore) return;
    const piece = firstPiece(queue.waiting());
    if (piece.length > 0) void send(piece);
  };

  /** All at once: there is no later. What does not get through is left for the next page. */
  const close = (): void => {
    if (queue === null) return;
    for (let piece = firstPiece(queue.waiting()); piece.length > 0; piece = firstPiece(queue.waiting()))
      void send(piece);
    queue.save(true);
  };

  const track = (name: string, props?: Record<string, unknown>): void => {
    if (silent) return;
    const identity = page.upquorumIdentity;
    if (queue === null || identity === undefined) {
      if (early.length < pieceItems) early.push([name, props]);
      return;
    }
    try {
      const at = Date.now();
      const { user, session_id } = identity;
      const ids = { external_user_id: user.external_id, session_id, dedup_id: randomId() };
      const item = toItem(JSON.stringify({ name, props, timestamp: new Date(at).toISOString(), ...ids }), at);
      if (item.bytes > eventBytes) return;
      queue.add([item]);
      if (failures === 0) later(batchMs);
    } catch {
      // Props that are no JSON.
    }
  };

  const init = (projectId: string, user?: { external_id?: string }, options: Options = {}): void => {
    const { doNotTrack, globalPrivacyControl } = page.navigator;
    silent = options.respect_do_not_track === true && (doNotTrack === '1' || globalPrivacyControl === true);
    if (silent) return;
    const known = page.upquorumIdentity;
    const shared = known?.project_id === projectId ? known : undefined;
    page.upquorumIdentity = {
      project_id: projectId,
      user: user ?? shared?.user ?? {},
      session_id: shared?.session_id ?? sessionId(),
    };
    page.dispatchEvent(new CustomEvent(identityEvent, { detail: page.upquorumIdentity }));
    endpoint = `${options.endpoint ?? source}?project_id=${encodeURIComponent(projectId)}`;
    if (queue === null) watchPage();
    queue ??= createQueue(storeOf('localStorage'), `flows:${projectId}:`);
    for (const call of early.splice(0)) track(...call);
    queue.adopt();
    later(0);
  };

  const watchPage = (): void => {
    page.addEventListener('pagehide', close);
    page.addEventListener('pageshow', () => queue?.save());
    page.addEventListener('online', flush);
    page.document.addEventListener('visibilitychange', () => {
      if (page.document.visibilityState === 'hidden') flush();
    });
    setInterval(() => {
      queue?.adopt();
      if (failures === 0) flush();
    }, adoptMs);
  };

  return { init, track, flush };
}

function firstPiece(items: readonly Item[]): Item[] {
  const piece: Item[] = [];
  let bytes = 2;
  for (const item of items) {
    bytes += item.bytes + 1;
    if (piece.length === pieceItems || bytes > pieceBytes) break;
    piece.push(item);
  }
  return piece;
}

/** One for each tab, as long as it lives. */
function sessionId(): string {
  const key = 'flows:session';
  const store = storeOf('sessionStorage');
  const id = store?.getItem(key) ?? randomId();
  store?.setItem(key, id);
  return id;
}

const waiting = page.flows?.q;
if (page.flows === undefined || waiting !== undefined) {
  // `../../v0/events` of where the script came from.
  const flows = createFlows(
    new URL('../../v0/events', page.document.currentScript?.src ?? 'https://localhost/a/b/c').href,
  );
  page.flows = flows;
  for (const [method, ...values] of waiting ?? []) (flows[method] as (...values: unknown[]) => void)?.(...values);
}
