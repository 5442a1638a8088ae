import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext, TestFn } from 'ava';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { top } from '../repository/sources.ts';
import { watchPage } from './page-watch.ts';
import { patienceMs } from './patience.ts';

const [shell, chrome] = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** How every test starts Debian's Chromium, if it can without the parts that show windows: that is half the work. */
export const chromiumOptions = {
  executablePath: existsSync(shell) ? shell : chrome,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** A page in a browser profile of its own, and the faults seen in it. */
export type OpenPage = {
  page: Page;
  context: BrowserContext;
  /** Uncaught errors, violations of the content security policy, and requests to any other origin. */
  faults: string[];
};

let users = 0;
let shared: Promise<Browser> | null = null;

/** One Chromium for the test files of a process, closed after the last of them; each call opens a page. */
export function useBrowser<Context>(
  test: TestFn<Context>,
): (t: ExecutionContext, url: string, context?: BrowserContextOptions) => Promise<OpenPage> {
  // A process is given all its files before the first of them runs.
  users += 1;
  let browser: Browser | null = null;
  test.before(async () => {
    if (shared !== null && !(await shared).isConnected()) shared = null;
    shared ??= chromium.launch(chromiumOptions);
    browser = await shared;
  });
  test.after.always(async () => {
    users -= 1;
    if (users === 0) await (await shared)?.close();
  });
  return async (t, url, contextOptions = {}) => {
    if (browser === null) throw new Error('the browser runs only during tests');
    // Whoever asks for less motion gets a color at once: halfway to it, axe finds too little contrast.
    const usual = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const;
    const context = await browser.newContext({ ...usual, ...contextOptions });
    t.teardown(() => context.close());
    // Of the windows that a page opens as well.
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const watch = watchPage(page);
    t.teardown(async () => {
      if (!t.passed) t.log(await watch.describe());
    });
    const faults: string[] = [];
    page.on('pageerror', error => faults.push(`error: ${error.stack ?? error.message}`));
    page.on('console', message => {
      if (/Content Security Policy|Trusted ?Type/i.test(message.text())) faults.push(message.text());
    });
    page.on('request', request => {
      const address = new URL(request.url());
      if (address.protocol !== 'data:' && address.origin !== new URL(url).origin)
        faults.push(`requested another origin: ${address}`);
    });
    await page.goto(url);
    return { page, context, faults };
  };
}

/** Saves a picture of the page for people to look at, in a folder that git ignores, if `PICTURES=1` asks for it. */
export async function takeScreenshot(page: Page, name: string, fullPage = true): Promise<void> {
  if (process.env.PICTURES !== '1') return;
  const folder = join(top, 'artifacts', 'screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}
