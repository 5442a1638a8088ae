import type { Page } from 'playwright-core';
import { until } from './control-plane.ts';

/** Signs in and waits for the first view. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
}

/** Opens a view and waits until it has loaded. */
export async function showView(page: Page, address: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
  const loaded = `location.hash === ${JSON.stringify(address)} && document.querySelector('main .view') !== null
    && document.querySelector('main .bone') === null`;
  await until(
    () => page.evaluate(loaded),
    is => is === true,
  );
}

/** Signs out through the project's menu. */
export async function signOut(page: Page): Promise<void> {
  await page.locator('.project-menu summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
}
