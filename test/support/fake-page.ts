import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createContext, runInContext } from 'node:vm';

type Timer = { id: number; at: number; everyMs: number | null; run: () => void };
type SentEvent = { name: string; timestamp: string };
type Answer = (url: string, request: RequestInit) => Response | Promise<Response>;

/** A page without a browser that the client's script runs in. Its time goes on only by `pass`. */
export type FakePage = {
  /** Runs a script of the page. */
  run(script: string): unknown;
  /** Lets time go on, with the page's timers, and waits for what they began. */
  pass(ms: number): Promise<void>;
  /** The page sleeps, as with a closed lid: the clock goes on and no timer runs. */
  sleep(ms: number): void;
  /** What the server does with a request. */
  answer: Answer;
  /** The names in each request that was sent, in order. */
  requests: string[][];
  warnings: string[];
  /** Writes to localStorage: those at one time are one. */
  writes: { at: number; key: string; characters: number }[];
  storage: Record<string, string>;
};

const bundle = readFileSync(new URL('../../control-plane/web/browser-client/flows.js', import.meta.url), 'utf8');
const started = Date.UTC(2026, 10, 24, 12);

/** Accepts all events. */
export const accept: Answer = () => Response.json({ errors: [] }, { status: 202 });

/** `head` runs before the client, `stored` is in localStorage, `globals` replaces what browsers have. */
type Options = { head?: string; stored?: Record<string, string>; globals?: object };

/** Opens a page with the client. */
export function openFakePage({ head = '', stored = {}, globals = {} }: Options = {}): FakePage {
  let nowMs = started;
  let timerCount = 0;
  const timers = new Map<number, Timer>();
  const setTimer = (run: () => void, ms: number, everyMs: number | null): number => {
    timerCount += 1;
    timers.set(timerCount, { id: timerCount, at: nowMs + ms, everyMs, run });
    return timerCount;
  };
  const writes: FakePage['writes'] = [];
  const noteWrite = (key: string, value = '') => writes.push({ at: nowMs, key, characters: value.length });
  const storage: Record<string, string> = Object.assign(Object.create(storageMethods(noteWrite)), stored);
  const page: FakePage = {
    run: script => runInContext(script, context),
    pass: async ms => {
      const until = nowMs + ms;
      for (await settle(); ; await settle()) {
        const next = [...timers.values()].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        nowMs = Math.max(nowMs, next.at);
        if (next.everyMs === null) timers.delete(next.id);
        else next.at = nowMs + next.everyMs;
        next.run();
      }
      nowMs = until;
    },
    sleep: ms => {
      nowMs += ms;
    },
    answer: accept,
    requests: [],
    warnings: [],
    writes,
    storage,
  };
  const target = new EventTarget();
  class HTMLScriptElement {
    src = 'https://up.example/client/v0/flows.js';
  }
  const context = createContext({
    navigator: { doNotTrack: null },
    document: Object.assign(new EventTarget(), { hidden: false, currentScript: new HTMLScriptElement() }),
    addEventListener: target.addEventListener.bind(target),
    dispatchEvent: target.dispatchEvent.bind(target),
    localStorage: storage,
    sessionStorage: Object.create(storageMethods(() => {})),
    console: { warn: (text: string) => page.warnings.push(text) },
    fetch: async (url: string, request: RequestInit) => {
      page.requests.push((JSON.parse(String(request.body)) as SentEvent[]).map(({ name }) => name));
      return await page.answer(url, request);
    },
    Date: class extends Date {
      static override now = () => nowMs;
    },
    setTimeout: (run: () => void, ms = 0) => setTimer(run, ms, null),
    setInterval: (run: () => void, ms: number) => setTimer(run, ms, ms),
    clearTimeout: (id: number) => timers.delete(id),
    HTMLScriptElement,
    ...{ AbortController, AbortSignal, CustomEvent, Event, TextEncoder, URL, crypto },
    ...globals,
  });
  page.run(`globalThis.window = globalThis; ${head}`);
  page.run(bundle);
  return page;
}

function storageMethods(onWrite: (key: string, value?: string) => void) {
  return {
    getItem(this: Record<string, string>, key: string) {
      return Object.hasOwn(this, key) ? this[key] : null;
    },
    setItem(this: Record<string, string>, key: string, value: string) {
      this[key] = value;
      onWrite(key, value);
    },
    removeItem(this: Record<string, string>, key: string) {
      if (Object.hasOwn(this, key)) onWrite(key);
      delete this[key];
    },
  };
}

/** Answers are read in a few turns of the event loop. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}
