import type { components } from '#control-plane/web/api-client/openapi.d.ts';
import { readEvents } from '#control-plane/web/api-client/server-events.ts';
import { sessionHeaders } from './api.ts';
import { documentVisibility, type PageVisibility } from './poll.ts';

/** What changed: a topic and the ids; null for more than are named. */
export type Change = components['schemas']['Change'];
export type Topic = Change['topic'];

export type Live = { stop(): void };

type LiveOptions = {
  csrfToken(): string;
  projectId?: string | null;
  onChange(change: Change): void;
  /** Whether changes arrive as they happen. After it was false, anything may have changed. */
  onState(isLive: boolean): void;
  /** The session has ended. */
  signedOut(): void;
  /** The person is no longer in the project, or with a lower role. */
  notMember?(): void;
  fetch?: typeof fetch;
  wait?(ms: number): Promise<void>;
  visibility?: PageVisibility;
  /** Longer than the server is silent. */
  silenceMs?: number;
};

const usualSilenceMs = 4500;
const retryMs = 2000;
const retryMaxMs = 30_000;

/**
 * Listens to `GET /v0/changes` while the page is visible, and connects again by itself. By fetch, since an EventSource
 * cannot send the session's token; a stream that says nothing for a few seconds is as good as cut.
 */
export function startLive(options: LiveOptions): Live {
  const { onChange, onState, wait = sleep, visibility = documentVisibility } = options;
  const { silenceMs = usualSilenceMs } = options;
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);
  let stopped = false;
  let stream = new AbortController();
  let lastEventId = '';
  let failures = 0;
  let shown = () => {};

  const read = async (): Promise<void> => {
    stream = new AbortController();
    let silence = setTimeout(() => stream.abort(), silenceMs);
    try {
      const headers = { ...sessionHeaders(options), ...(lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId }) };
      const response = await send('/v0/changes', {
        headers,
        signal: stream.signal,
        credentials: 'same-origin',
        cache: 'no-store',
      });
      if (response.status === 401) return end('');
      if (response.status === 403) return end(codeOf(await response.json()));
      if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
      for await (const { event, id, data } of readEvents(response.body)) {
        clearTimeout(silence);
        silence = setTimeout(() => stream.abort(), silenceMs);
        if (event === 'ready') {
          failures = 0;
          onState(true);
        }
        if (event === 'change') onChange(data as Change);
        if (event === 'end') return end(codeOf(data));
        if (id !== '') lastEventId = id;
      }
    } finally {
      clearTimeout(silence);
    }
  };
  const end = (code: string): void => {
    // With fewer rights there is still something to hear.
    stopped = code !== 'insufficient_scope';
    if (code === 'not_a_member' || code === 'insufficient_scope') options.notMember?.();
    else options.signedOut();
  };
  const run = async (): Promise<void> => {
    while (!stopped) {
      if (visibility.isHidden())
        await new Promise<void>(resolve => {
          shown = resolve;
        });
      await read().catch(() => {});
      if (stopped) return;
      onState(false);
      if (visibility.isHidden()) continue;
      failures += 1;
      await wait(Math.min(retryMaxMs, retryMs * 2 ** Math.min(failures - 1, 4)) * (0.5 + Math.random()));
    }
  };
  const ignoreVisibility = visibility.onChange(() => {
    if (visibility.isHidden()) stream.abort();
    else shown();
  });
  void run();
  return {
    stop: () => {
      stopped = true;
      ignoreVisibility();
      stream.abort();
      shown();
    },
  };
}

function codeOf(data: unknown): string {
  return String(Object(data).code ?? '');
}

function sleep(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
