import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { z } from 'zod';
import { readConfig } from '#deploy/local/config.ts';
import { top } from '../repository/sources.ts';
import { chromiumOptions } from '../support/browser.ts';
import { showView, signIn } from '../support/dashboard.ts';

// `npm run pictures`: the README's pictures, from the sample project of a running `npm start`.

const folder = join(top, 'docs/images');
const summarySchema = z.object({ base_url: z.string(), sample_token: z.string() });
const summary = readFileSync(join(readConfig(process.env).dataDir, 'local.json'), 'utf8');
const { base_url: site, sample_token: token } = summarySchema.parse(JSON.parse(summary));

mkdirSync(folder, { recursive: true });
await using browser = await chromium.launch(chromiumOptions);
await using context = await browser.newContext({ timezoneId: 'UTC', locale: 'en-GB' });
const page = await context.newPage();
await showStatusPage(page);
await showMonitor(page);

async function showStatusPage(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1000, height: 800 });
  await page.goto(`${site}/status/demo`);
  await page.screenshot({ path: join(folder, 'status-page.png') });
}

async function showMonitor(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1200, height: 670 });
  await page.goto(site);
  await signIn(page, token);
  await showView(page, '#/monitors');
  await page.getByRole('link', { name: 'Public API' }).click();
  await page.getByRole('button', { name: '30 d', exact: true }).click();
  await page.getByText('Votes by region').waitFor();
  await page.mouse.move(0, 0);
  await page.waitForFunction(`document.querySelector('main .bone') === null`);
  await page.screenshot({ path: join(folder, 'dashboard.png') });
}
