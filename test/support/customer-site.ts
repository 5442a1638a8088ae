import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumOptions } from './browser.ts';
import { patienceMs } from './patience.ts';

/** A real browser; it ends with the test. */
export async function openBrowser(t: ExecutionContext): Promise<Browser> {
  const browser = await chromium.launch(chromiumOptions);
  t.teardown(() => browser.close());
  return browser;
}

/** A customer's site on an origin of its own: every path is this page. */
export async function openSite(t: ExecutionContext, html: string): Promise<string> {
  const server: Server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(html);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

/** A page with nothing wrong in its console; what it complained about is in `faults`. */
export async function openPage(
  context: BrowserContext | Browser,
  url: string,
): Promise<{ page: Page; faults: string[] }> {
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(error.message));
  await page.goto(url);
  return { page, faults };
}
