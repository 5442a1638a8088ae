import type { Page, Request } from 'playwright-core';

const textMax = 600;
const shownMax = 3000;

/** What to know of a page whose test failed. */
export type PageWatch = { describe(): Promise<string> };

/** Remembers which requests of a page have no answer yet, and which failed. */
export function watchPage(page: Page): PageWatch {
  const open = new Map<Request, number>();
  const failed: string[] = [];
  const said: string[] = [];
  page.on('request', request => open.set(request, Date.now()));
  page.on('requestfinished', request => open.delete(request));
  page.on('requestfailed', request => {
    open.delete(request);
    failed.push(`${addressOf(request)} ${request.failure()?.errorText}`);
  });
  page.on('response', answer => {
    if (answer.status() >= 400) failed.push(`${addressOf(answer.request())} ${answer.status()}`);
  });
  page.on('console', message => said.push(`${message.type()} ${message.text().slice(0, textMax)}`));
  return {
    async describe() {
      const text = await page.evaluate<string>('document.body.innerText').catch(error => `no text: ${error}`);
      const waiting = [...open].map(([request, sinceMs]) => `${addressOf(request)} for ${Date.now() - sinceMs} ms`);
      return [
        `${page.url()} shows: ${text.replace(/\s+/g, ' ').slice(0, shownMax)}`,
        `without an answer: ${waiting.join(', ') || 'none'}`,
        `failed: ${failed.slice(-10).join(', ') || 'none'}`,
        `console: ${said.slice(-10).join(' | ') || 'nothing'}`,
      ].join('\n');
    },
  };
}

function addressOf(request: Request): string {
  return `${request.method()} ${request.url().slice(0, 200)}`;
}
