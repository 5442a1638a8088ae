import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const usual = [
  { name: 'desk-light', options: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } },
  { name: 'phone-dark', options: { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } },
  { name: 'wall-dark', options: { viewport: { width: 2560, height: 1440 }, colorScheme: 'dark' } },
] as const;
const further = [
  { name: 'desk-dark', options: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' } },
  { name: 'phone-light', options: { viewport: { width: 360, height: 740 }, colorScheme: 'light' } },
  { name: 'wall-light', options: { viewport: { width: 2560, height: 1440 }, colorScheme: 'light' } },
] as const;

/** Where and how the dashboard is looked at: `LOOKS=further` has the other theme of each width. */
export const looks = process.env.LOOKS === 'further' ? further : usual;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Makes axe known to the page, once. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe);
}

/** What axe finds of serious or critical impact. */
export function accessibilityFaults(page: Page): Promise<string[]> {
  return page.evaluate(`(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(node => node.html).slice(0, 3).join(' | '));
  })()`);
}

/** Whether the page needs no horizontal scrolling. */
export function fits(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
}
