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
  // Until the change is handled and painted, the view before stands there, and has loaded.
  await page.evaluate(`new Promise(done => {
    if (location.hash === ${JSON.stringify(address)}) return done();
    const painted = () => {
      requestAnimationFrame(() => requestAnimationFrame(done));
      // A page that nobody sees is not painted.
      setTimeout(done, 1000);
    };
    addEventListener('hashchange', painted, { once: true });
    location.hash = ${JSON.stringify(address)};
  })`);
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

/** Presses a key twice before the page renders, and twice more before what was rendered is painted. */
export async function pressFourTimesQuickly(page: Page, key: string): Promise<void> {
  await page.evaluate(`(async () => {
    for (const waits of [0, 9, 9, 9]) {
      const init = { key: ${JSON.stringify(key)}, bubbles: true, cancelable: true };
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', init));
      for (let wait = 0; wait < waits; wait++) await null;
    }
  })()`);
}
