import type { Page } from 'playwright-core';
import { until } from './control-plane.ts';

/** Signs in and waits for the first view. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Opens a view and waits until it has loaded. */
export async function showView(page: Page, address: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
  const loaded = `location.hash === ${JSON.stringify(address)} && document.querySelector('main .view') !== null
    && !/loading…/i.test(document.querySelector('main').textContent)`;
  await until(
    () => page.evaluate(loaded),
    is => is === true,
  );
}
