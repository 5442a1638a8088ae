import { randomUUID } from 'node:crypto';
import type { SentEvent } from './queue.ts';
import { type DropReason, Sender } from './sender.ts';

export type { SentEvent } from './queue.ts';
export type { DropReason } from './sender.ts';

export type EventsOptions = {
  /** Where the control plane is: https://status.example.com */
  baseUrl: string;
  /** A token with the scope `events:write`. */
  token: string;
  /** How long an event waits for others, in milliseconds. */
  flushMs?: number;
  /** Most events of a request, at most 1000. */
  batchMax?: number;
  /** Most events that wait while the server is away; then the oldest are given up. */
  queueMax?: number;
  /** Hears of events that are lost. */
  onDrop?: (events: readonly SentEvent[], reason: DropReason) => void;
  /** Hears of requests that failed, and are made again. */
  onError?: (error: Error) => void;
};

export type EventOptions = {
  /** Who did it, by an ID of your own. */
  user?: string | undefined;
  session?: string | undefined;
  props?: Readonly<Record<string, unknown>> | undefined;
  /** Now, if left out. */
  timestamp?: Date | string | undefined;
};

export type Events = AsyncDisposable & {
  /** Records what somebody did. Never throws, and waits for nothing. */
  track(name: string, options?: EventOptions): void;
  /** Records an error by a name, or by what was thrown: its message is among the `props` then. */
  error(error: string | Error, options?: EventOptions): void;
  /** Says whose a session is. */
  identify(user: string, options: { session: string; traits?: Readonly<Record<string, unknown>> | undefined }): void;
  /** Sends now. Resolves to true once all is stored or refused, to false if the server cannot be reached. */
  flush(): Promise<boolean>;
  /** Sends what waits, for at most `timeoutMs`, and takes no more. */
  close(options?: { timeoutMs?: number }): Promise<void>;
  /** How many wait, or are being sent. */
  readonly size: number;
  /** How many were given up so far. */
  readonly dropped: number;
};

const batchLimit = 1000;
/** Bodies may have 5 MiB. */
const batchBytes = 1024 * 1024;
const queueBytes = 32 * 1024 * 1024;
const closeMs = 10_000;

/**
 * Sends events from a server: many in a request, one request at a time, again until the server has them. They wait in
 * memory alone, so `close` before the process ends. Nothing but `flush` and `close` keeps the process from ending.
 */
export function createEvents(options: EventsOptions): Events {
  const { baseUrl, token, flushMs = 500, batchMax = 500, queueMax = 10_000, onDrop, onError } = options;
  const sender = new Sender({
    url: new URL('v0/events', baseUrl.replace(/\/*$/, '/')),
    token,
    flushMs,
    limits: {
      batchMax: Math.max(1, Math.min(batchMax, batchLimit)),
      batchBytes,
      queueMax: Math.max(1, queueMax),
      queueBytes,
    },
    onDrop: (texts, reason) =>
      guarded(() =>
        onDrop?.(
          texts.map(text => JSON.parse(text) as SentEvent),
          reason,
        ),
      ),
    onError: error => guarded(() => onError?.(error)),
  });
  const add = (type: SentEvent['type'], fields: EventOptions & { name?: string }): void => {
    const text = textOf(type, fields);
    if (text.error === null) sender.add(text.json);
    else sender.drop([text.json], 'not_json', text.error);
  };
  return {
    track: (name, fields = {}) => add('track', { ...fields, name }),
    error: (error, fields = {}) => {
      if (!(error instanceof Error)) return add('error', { ...fields, name: error });
      add('error', { ...fields, name: error.name, props: { message: error.message, ...fields.props } });
    },
    identify: (user, options) => add('identify', { user, session: options?.session, props: options?.traits }),
    flush: () => sender.flush(),
    close: ({ timeoutMs = closeMs } = {}) => sender.close(timeoutMs),
    [Symbol.asyncDispose]: () => sender.close(closeMs),
    get size() {
      return sender.size;
    },
    get dropped() {
      return sender.dropped;
    },
  };
}

/** What callers pass must not end what runs here: its errors are theirs. */
function guarded(call: () => void): void {
  try {
    call();
  } catch {
    // Nobody is there to hear of it.
  }
}

/** An event with its ID and time from now on, so that a request that is made again stores it once. */
function textOf(
  type: SentEvent['type'],
  { name, user, session, props, timestamp = new Date() }: EventOptions & { name?: string },
): { json: string; error: string | null } {
  const event = { type, name, external_user_id: user, session_id: session, dedup_id: randomUUID() };
  try {
    const at = timestamp instanceof Date ? timestamp.toISOString() : timestamp;
    return { json: JSON.stringify({ ...event, props, timestamp: at }), error: null };
  } catch (error) {
    const at = new Date().toISOString();
    return {
      json: JSON.stringify({ ...event, name: typeof name === 'string' ? name : '', timestamp: at }),
      error: String(error),
    };
  }
}
