import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'ava';
import { bundleDashboard } from '#control-plane/web/dashboard/bundle.ts';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { serveGallery } from './gallery-server.ts';

const openPage = useBrowser(test);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test('each part in each state has no accessibility fault in both themes, and fits every width', async t => {
  const gallery = await serveGallery(0);
  t.teardown(gallery.stop);
  for (const theme of ['light', 'dark'] as const) {
    const { page, faults } = await openPage(t, `${gallery.url}/?theme=${theme}`);
    for (const width of [360, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole('heading', { name: 'Gallery' }).waitFor();
      await takeScreenshot(page, `gallery-${width}-${theme}`);
      const fits = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth';
      t.true(await page.evaluate(fits), `${width} ${theme}`);
    }
    await page.evaluate(axe);
    const found = await page.evaluate(`axe.run().then(({ violations }) =>
      violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => id + ': ' + nodes.map(node => node.html).slice(0, 3).join(' | ')))`);
    t.deepEqual(found, [], theme);
    t.deepEqual(faults, []);
  }
});

test('the gallery is in no file that customers get', async t => {
  const { files } = await bundleDashboard();
  t.false([...files.values()].some(text => /gallery/i.test(text)));
});
