import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { until } from './control-plane.ts';

/** Presses Tab until the element of that name has the focus; each on the way must show it. */
export async function tabTo(t: ExecutionContext, page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    passed.push(now);
    if (now === '') continue;
    const showsFocus = () =>
      page.evaluate<boolean>(
        `(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2)(
          getComputedStyle(document.activeElement))`,
      );
    // Right after a load the styles may be on their way, or a view that takes the place of the first one.
    const shownOrGone = async () => (await showsFocus()) || (await focused(page)) !== now;
    await t.notThrowsAsync(until(shownOrGone, true), `${now} shows no focus`);
    if (typeof name === 'string' ? now === name : name.test(now)) return;
  }
  t.fail(`${name} was not reached: ${passed.join(', ')}`);
}

/** What the element with the focus is called. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(`(element => {
    if (element === document.body || element === null) return '';
    return element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent.trim();
  })(document.activeElement)`);
}
