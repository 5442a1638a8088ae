import type { ExecutionContext } from 'ava';
import { GlobalWindow as Window } from 'happy-dom';
import { nowMs } from '../samples.ts';
import { pageClock } from './clock.ts';
import { loadProgram, type PageGlobals } from './program.ts';
import { readScreen } from './screen.ts';
import { type AnswerTable, pageServer } from './server.ts';
import { project } from './world.ts';

type PageOptions = {
  /** The path of the page; the dashboard's by default. */
  path?: string;
  /** Added to those of the sample project. */
  answers?: AnswerTable;
  scopes?: readonly string[];
  /** What this browser stored before. */
  stored?: Readonly<Record<string, string>>;
  /** What this tab stored before. */
  drafts?: Readonly<Record<string, string>>;
};

/** Timers that are due so soon are part of what a person sees at once. */
const soonMs = 600;

/** Opens the dashboard at an address, as a browser does, but without one: the whole program, a document, no server. */
export async function openPage(t: ExecutionContext, address: string, options: PageOptions = {}) {
  const program = await loadProgram();
  const window = new Window({ url: `http://up.example${options.path ?? '/dashboard'}${address}` });
  const clock = pageClock(nowMs);
  // The document's own timers too: it announces a changed address by one.
  Object.assign(window, clock.timers);
  const server = pageServer({
    ...project,
    'GET /dashboard/session': session(options.scopes ?? ['*']),
    ...options.answers,
  });
  for (const [name, text] of Object.entries(options.stored ?? {})) window.localStorage.setItem(name, text);
  for (const [name, text] of Object.entries(options.drafts ?? {})) window.sessionStorage.setItem(name, text);
  window.document.head.innerHTML = '<link rel="icon" href="/dashboard/icon.svg">';
  window.document.body.innerHTML = '<div id="dashboard"></div>';
  t.teardown(() => window.happyDOM.close());
  program(globalsOf(window, clock, server.fetch));
  const settle = async (): Promise<void> => {
    const untilMs = clock.nowMs() + soonMs;
    for (let quiet = 0; quiet < 4; quiet++) {
      await new Promise(resolve => setImmediate(resolve));
      if (server.isBusy() || clock.runNext(untilMs)) quiet = -1;
    }
  };
  await settle();
  const advance = async (ms: number): Promise<void> => {
    const untilMs = clock.nowMs() + ms;
    for (let isMore = true; isMore; ) {
      await settle();
      isMore = clock.runNext(untilMs);
    }
    clock.moveTo(untilMs);
    await settle();
  };
  const document = window.document as unknown as Document;
  return {
    window,
    document,
    server,
    settle,
    advance,
    /** The browser has a network again: views load at once. */
    comeOnline: async () => {
      window.dispatchEvent(new window.Event('online'));
      await settle();
    },
    address: () => window.location.hash,
    go: async (hash: string) => {
      window.location.hash = hash;
      await settle();
    },
    ...readScreen(document, settle),
  };
}

export type OpenPage = Awaited<ReturnType<typeof openPage>>;

export function session(scopes: readonly string[]) {
  const expires_at = '2026-11-21T22:00:00.000Z';
  return { signed_in: true, csrf_token: 'csrf_1', expires_at, project_id: 'prj_1', token_id: 'tok_1', scopes };
}

const fromWindow = [
  'document location history localStorage sessionStorage navigator getComputedStyle innerHeight innerWidth',
  'devicePixelRatio matchMedia MutationObserver ResizeObserver getSelection scrollTo FormData Event KeyboardEvent',
  'MouseEvent CustomEvent Node Element HTMLElement HTMLInputElement HTMLTextAreaElement HTMLSelectElement',
  'HTMLFormElement HTMLDialogElement HTMLDetailsElement FileReader File',
]
  .join(' ')
  .split(' ');
const functions = [
  'dispatchEvent',
  'addEventListener',
  'removeEventListener',
  'getComputedStyle',
  'matchMedia',
  'getSelection',
];

function globalsOf(window: Window, clock: ReturnType<typeof pageClock>, fetch: unknown): PageGlobals {
  const all: Record<string, unknown> = Object.fromEntries(
    [...fromWindow, ...functions].map(name => [name, Reflect.get(window, name)]),
  );
  for (const name of functions) all[name] = (all[name] as () => unknown).bind(window);
  const own: PageGlobals = {
    ...all,
    ...clock.timers,
    Date: clock.Date,
    fetch,
    scrollTo: () => undefined,
    requestAnimationFrame: (run: (ms: number) => void) => clock.timers.setTimeout(() => run(clock.nowMs()), 16),
    cancelAnimationFrame: clock.timers.clearTimeout,
  };
  const top = new Proxy(globalThis, { get: (all, name: string) => own[name] ?? Reflect.get(all, name) });
  return { ...own, window: top, self: top, globalThis: top };
}
