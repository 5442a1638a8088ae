import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { pageSecurityPolicy } from '#control-plane/status-pages/render/layout.ts';

const options =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

/** Debian's browser, made quiet: it asks nobody but who the test names. */
export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: '/usr/bin/chromium', args: options.split(' ') });
}

/** A page open in a browser without JavaScript, and what it asked for and complained of. */
export type OpenPage = AsyncDisposable & { page: Page; requests: string[]; complaints: string[] };

/** Serves the text on loopback under the policy of status pages and opens it. */
export async function openText(
  browser: Browser,
  text: string,
  how: BrowserContextOptions & { type?: string } = {},
): Promise<OpenPage> {
  const { type = 'text/html; charset=utf-8', ...context } = how;
  await using opened = new AsyncDisposableStack();
  const requests: string[] = [];
  const complaints: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.setHeader('Content-Type', type).setHeader('Content-Security-Policy', pageSecurityPolicy).end(text);
  });
  opened.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const session = await browser.newContext({ javaScriptEnabled: false, ...context });
  opened.defer(() => session.close());
  const page = await session.newPage();
  page.on('console', message => complaints.push(message.text()));
  page.on('requestfailed', request => complaints.push(`failed ${request.url()}`));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/status/acme`, {
    waitUntil: 'networkidle',
  });
  const kept = opened.move();
  return { page, requests, complaints, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
