import test, { type ExecutionContext } from 'ava';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { renderBadge } from '#control-plane/publishing/status-pages/render/badge.ts';
import { renderHistory } from '#control-plane/publishing/status-pages/render/history.ts';
import { renderIncident } from '#control-plane/publishing/status-pages/render/incident.ts';
import { renderNotice } from '#control-plane/publishing/status-pages/render/notice.ts';
import { renderPage } from '#control-plane/publishing/status-pages/render/page.ts';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import {
  outageModel,
  resolvedIncidents,
  sampleIncident,
  sampleModel,
  samplePage,
  stagedIncident,
} from '#test/support/page-model.ts';
import { scriptPayloads } from '#test/support/script-payloads.ts';
import { type ServedText, serveText } from '#test/support/served-text.ts';

// One after the other: on a busy machine, a dozen pages that load at once all take too long.
const openPage = useBrowser(test);

type Open = ServedText & { page: Page; faults: string[] };

/** Serves a text and opens it without JavaScript. */
async function openText(
  t: ExecutionContext,
  text: string,
  how: BrowserContextOptions = {},
  type?: string,
): Promise<Open> {
  const served = await serveText(text, type);
  const { page, faults } = await openPage(t, served.url, { javaScriptEnabled: false, ...how });
  return { ...served, page, faults };
}

const model = outageModel();
const [webhooks = sampleIncident()] = resolvedIncidents();
const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(2);
const pages: Record<string, string> = {
  page: renderPage(model),
  calm: renderPage(sampleModel()),
  history: renderHistory(model, [stagedIncident(), ...resolvedIncidents()], { number: 2, newer: 'newest', older: 1 }),
  incident: renderIncident(model, stagedIncident()),
  'post-mortem': renderIncident(model, webhooks),
  notice: renderNotice(samplePage(), {
    title: 'Confirm your subscription',
    text: 'Mails about Acme will go to ada@example.org.',
    form: { action: '/status/acme/confirm?token=a', button: 'Confirm' },
  }),
  'long words': renderPage({
    ...outageModel({ page: samplePage({ name: long, description: long }) }),
    components: model.components.map(component => ({ ...component, name: long, group: long, description: long })),
    openIncidents: [
      sampleIncident({
        title: long,
        updates: stagedIncident().updates.map(update => ({
          ...update,
          body: `${long}\n\n\`\`\`\n${long}\n\`\`\`\n\n|a|b|\n|-|-|\n|${long}|${long}|`,
        })),
      }),
    ],
  }),
};

const wider = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

const widths = [320, 360, 1280, 2560];
const pictured = [360, 1280];

for (const [name, text] of Object.entries(pages))
  test.serial(`fits every screen in light and dark, asks for nothing and breaks no rule: ${name}`, async t => {
    await using open = await openText(t, text);
    for (const width of widths)
      for (const colorScheme of ['light', 'dark'] as const) {
        await open.page.setViewportSize({ width, height: 900 });
        await open.page.emulateMedia({ colorScheme });
        t.is(await wider(open.page), 0, `${width} ${colorScheme}`);
        if (!pictured.includes(width)) continue;
        await takeScreenshot(open.page, `status-${name.replaceAll(' ', '-')}-${width}-${colorScheme}`);
      }
    t.deepEqual([open.requests, open.faults], [['GET /status/acme'], []]);
  });

test.serial('the days of a component open by keyboard alone', async t => {
  await using open = await openText(t, pages.calm ?? '', { viewport: { width: 360, height: 800 } });
  const details = open.page.locator('details.history').first();
  t.false(await details.locator('ol').isVisible());
  for (let presses = 0; presses < 12; presses++) {
    await open.page.keyboard.press('Tab');
    if (await details.locator('summary').evaluate(summary => summary.matches(':focus-visible'))) break;
  }
  await open.page.keyboard.press('Enter');
  t.true(await details.locator('ol').isVisible());
  t.regex((await details.locator('li').first().textContent()) ?? '', /^(\d+\s–\s)?21 Nov 2026 /);
  t.is(await wider(open.page), 0);
  await takeScreenshot(open.page, 'status-days-360');
});

test.serial('the first stop of the keyboard leads past the head of the page, and can be seen', async t => {
  await using open = await openText(t, pages.page ?? '');
  await open.page.keyboard.press('Tab');
  const box = await open.page.locator('.skip').boundingBox();
  t.true((box?.width ?? 0) > 60 && (box?.height ?? 0) >= 24);
});

test.serial('what can be pressed is large enough', async t => {
  await using open = await openText(t, pages.page ?? '', { viewport: { width: 360, height: 800 } });
  const small = await open.page
    .locator('main summary, button, .button, .chip, footer a, input[type=email]')
    .evaluateAll(all =>
      all.flatMap(each => {
        const { width, height, y } = each.getBoundingClientRect();
        return width < 24 || height < 24 ? [`${each.textContent?.slice(0, 30)} ${width}×${height} at ${y}`] : [];
      }),
    );
  t.deepEqual(small, []);
});

test.serial('the form sends the address and the components that were chosen', async t => {
  await using open = await openText(t, pages.page ?? '');
  await open.page.locator('#email').fill('ada@example.org');
  await open.page.locator('details.choice > summary').click();
  await open.page.locator('input[value=comp_1]').check();
  await open.page.locator('input[value=comp_4]').check();
  const sent = open.page.waitForRequest(request => request.method() === 'POST');
  await open.page.locator('button').click();
  const request = await sent;
  t.is(new URL(request.url()).pathname, '/status/acme/subscribe');
  t.is(request.postData(), 'email=ada%40example.org&component_ids=comp_1&component_ids=comp_4');
});

test.serial('no attack runs where scripts could, were it not for the escaping', async t => {
  const attacked = renderPage({
    ...sampleModel({ page: samplePage({ name: scriptPayloads.join(' ') }) }),
    openIncidents: scriptPayloads.map((words, index) =>
      sampleIncident({
        id: `inc_${index}`,
        title: words,
        updates: stagedIncident().updates.map(update => ({ ...update, body: words })),
      }),
    ),
  });
  await using open = await openText(t, attacked, { javaScriptEnabled: true });
  // The policy stops a script before it runs, and says so.
  t.deepEqual([open.faults, open.requests], [[], ['GET /status/acme']]);
});

test.serial('a badge fits its words', async t => {
  for (const each of [model, sampleModel({ page: samplePage({ name: 'MMMM 東京の状態 iiii' }) })]) {
    await using open = await openText(t, renderBadge(each), {}, 'image/svg+xml');
    const boxes = await open.page
      .locator('text')
      .evaluateAll(all => all.map(each => each.getBoundingClientRect().right));
    const width = await open.page.locator('svg').evaluate(svg => Number(svg.getAttribute('width')));
    t.true(boxes.every(right => right < width));
    t.deepEqual(open.faults, []);
  }
});

test.serial('paper is light, and keeps what matters', async t => {
  await using open = await openText(t, pages.page ?? '', { colorScheme: 'dark' });
  await open.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  t.is(
    await open.page.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor"),
    'rgb(255, 255, 255)',
  );
  t.false(await open.page.locator('#subscribe').isVisible());
  t.true(await open.page.locator('.hero').isVisible());
  await takeScreenshot(open.page, 'status-print');
});
