import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { until } from '#test/support/control-plane.ts';
import { openBrowser, openPage, openSite } from '#test/support/customer-site.ts';
import { type EventCollector, openCollector } from '#test/support/event-collector.ts';

const init = `flows.init('proj_one', { external_id: 'u' });`;
const ready = (page: Page) => page.waitForFunction('window.flows !== undefined');
const namesOf = (collector: EventCollector) => [...new Set(collector.events.map(event => event.name))].sort();
const untilCollected = (collector: EventCollector, names: string[]) =>
  until(
    async () => namesOf(collector),
    found => found.join() === names.join(),
  );

async function openShop(t: ExecutionContext, { script }: { script: string }) {
  const site = await openSite(t, `<!doctype html><title>shop</title>${script}`);
  const context = await (await openBrowser(t)).newContext();
  const said: string[] = [];
  context.on('console', message => message.type() === 'warning' && said.push(message.text()));
  const { page, faults } = await openPage(context, site);
  await ready(page);
  return { page, context, site, said, faults };
}

/** Tracks `name` when the page's own listener hears the event. */
const onLeaving = (target: string, event: string, name: string) =>
  `${target}.addEventListener('${event}', () => flows.track('${name}'));`;
const listeners =
  onLeaving('document', 'visibilitychange', 'hidden') +
  onLeaving('window', 'pagehide', 'left') +
  onLeaving('window', 'unload', 'unloaded');

test.serial('what a page’s own listeners track while it closes is sent', async t => {
  const collector = await openCollector(t);
  const { page, context, site, faults } = await openShop(t, collector);
  await page.evaluate(init + listeners);
  await page.goto('about:blank');
  await untilCollected(collector, ['hidden', 'left', 'unloaded']);
  const { page: tab } = await openPage(context, site);
  await ready(tab);
  await tab.evaluate(`${init} document.addEventListener('visibilitychange', () => flows.track('closed'))`);
  await tab.close({ runBeforeUnload: true });
  await untilCollected(collector, ['closed', 'hidden', 'left', 'unloaded']);
  t.deepEqual(faults, []);
});

test.serial('with the server away the next page sends what was tracked while the last one closed', async t => {
  const collector = await openCollector(t);
  const { page, context, site } = await openShop(t, collector);
  await page.evaluate(init + listeners);
  collector.plan = Array.from({ length: 10 }, () => 'cut');
  await page.goto('about:blank');
  await until(
    async () => collector.requests,
    requests => requests > 0,
  );
  collector.plan = [];
  const { page: next } = await openPage(context, site);
  await ready(next);
  await next.evaluate(init);
  await untilCollected(collector, ['hidden', 'left', 'unloaded']);
  t.deepEqual(namesOf(collector), ['hidden', 'left', 'unloaded']);
});

test.serial('a loop of calls in such a listener writes each event once', async t => {
  const collector = await openCollector(t);
  const { page } = await openShop(t, collector);
  collector.plan = Array.from({ length: 100 }, () => 'cut');
  const writes = await page.evaluate(`(async () => {
    let writes = 0;
    const setItem = Storage.prototype.setItem;
    ${init}
    Storage.prototype.setItem = function (key, value) { writes++; setItem.call(this, key, value); };
    window.addEventListener('pagehide', () => { for (let n = 0; n < 250; n++) flows.track('n' + n); });
    window.dispatchEvent(new Event('pagehide'));
    await Promise.resolve();
    return writes;
  })()`);
  t.true(Number(writes) <= 6, `${writes} writes`);
});

test.serial('a storage that refuses every call is as none: events are sent, and the page has a session', async t => {
  const collector = await openCollector(t);
  const refuse = `for (const name of ['getItem', 'setItem', 'removeItem', 'key'])
    Storage.prototype[name] = () => { throw new DOMException('denied', 'SecurityError'); };`;
  const { page, faults, said } = await openShop(t, { script: `<script>${refuse}</script>${collector.script}` });
  await page.evaluate(`${init} flows.track('open')`);
  await untilCollected(collector, ['open']);
  t.regex(String(await page.evaluate('window.upquorumIdentity.session_id')), /^[0-9a-f]{32}$/);
  await page.evaluate(`flows.track('leaving'); location.href = 'about:blank'`);
  await untilCollected(collector, ['leaving', 'open']);
  t.deepEqual([...faults, ...said], []);
});

const ways: [string, (address: string) => string][] = [
  ['as a module', address => `<script type="module" src="${address}/client/v0/flows.js"></script>`],
  [
    'by eval in a script of its own',
    address => `<script>fetch('${address}/client/v0/flows.js').then(a => a.text()).then(eval)</script>`,
  ],
  [
    'by eval in another host’s script',
    address =>
      `<script>var tag = fetch('${address}/client/v0/flows.js').then(a => a.text());</script>
      <script>tag.then(text => { Object.defineProperty(document, 'currentScript', { configurable: true,
        get: () => Object.assign(document.createElement('script'), { src: 'https://tags.example/a/b/tags.js' }) });
        (0, eval)(text); });</script>`,
  ],
];
for (const [way, scriptOf] of ways)
  test.serial(`loaded ${way}, it asks for an endpoint and sends nothing anywhere until it has one`, async t => {
    const collector = await openCollector(t);
    const { page, said, faults } = await openShop(t, { script: scriptOf(collector.url) });
    const requests: string[] = [];
    page.on('request', request => requests.push(request.url()));
    await page.evaluate(`${init} flows.track('early'); flows.flush(); ${init}`);
    t.deepEqual(said, ['flows: nothing is sent: `endpoint` is missing']);
    await page.evaluate(`flows.init('proj_one', { external_id: 'u' }, { endpoint: '${collector.url}/v0/events' })`);
    await untilCollected(collector, ['early']);
    await page.evaluate(`flows.init('proj_two'); flows.track('of two'); flows.flush()`);
    await page.evaluate(`flows.init('proj_two', null, { endpoint: '${collector.url}/v0/events' })`);
    await untilCollected(collector, ['early', 'of two']);
    t.is(collector.events.find(event => event.name === 'of two')?.project, 'proj_two');
    t.deepEqual(
      requests.filter(url => !url.startsWith(`${collector.url}/v0/events?`)),
      [],
    );
    t.deepEqual(faults, []);
  });

/** As that library has it; a page's own classes may have theirs. */
const prototypeJs = `Array.prototype.toJSON = function () { return '[' + this.map(String).join(', ') + ']'; };
  String.prototype.toJSON = Number.prototype.toJSON = function () { return '"' + this + '"'; };
  Date.prototype.toJSON = function () { return '"' + this.getUTCFullYear() + '-01-01T00:00:00Z"'; };`;

test.serial('on a page with Prototype.js 1.6 events are sent and stored as they are', async t => {
  const collector = await openCollector(t);
  const { page, context, site } = await openShop(t, {
    script: `<script>${prototypeJs}</script>${collector.script}`,
  });
  collector.plan = Array.from({ length: 20 }, () => 'cut');
  const failed = page.waitForEvent('requestfailed');
  await page.evaluate(`${init} flows.track('bought', { items: ['a', { n: 1 }], at: new Date(0), never: new Date(NaN),
    page: new URL('https://shop.example/a'), own: { toJSON: () => ['mine'] } }); flows.flush()`);
  await failed;
  await page.goto('about:blank');
  await until(
    async () => collector.requests,
    requests => requests > 1,
  );
  collector.plan = [];
  const { page: next } = await openPage(context, site);
  await ready(next);
  await next.evaluate(init);
  await untilCollected(collector, ['bought']);
  t.deepEqual(collector.events[0]?.props, {
    items: ['a', { n: 1 }],
    at: '1970-01-01T00:00:00.000Z',
    never: null,
    page: 'https://shop.example/a',
    own: ['mine'],
  });
});
