import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { until } from '#test/support/control-plane.ts';
import { openBrowser, openPage, openSite } from '#test/support/customer-site.ts';
import { type EventCollector, openCollector } from '#test/support/event-collector.ts';

const hourMs = 3_600_000;
const ready = (page: Page) => page.waitForFunction('window.flows !== undefined && window.flows.q === undefined');
const namesOf = (collector: EventCollector) => collector.events.map(event => event.name);
const untilCollected = (collector: EventCollector, count: number) =>
  until(
    async () => collector.events.length,
    length => length >= count,
  );

/** A page that the client's script of the collector runs in, for one project. */
async function openShop(t: ExecutionContext, collector: EventCollector, head = '', before?: (page: Page) => unknown) {
  const html = `<!doctype html><title>shop</title><script>${head}</script>${collector.script}`;
  const site = await openSite(t, html);
  const browser = await openBrowser(t);
  const context = await browser.newContext();
  const page = await context.newPage();
  const said: string[] = [];
  page.on('console', message => message.type() === 'warning' && said.push(message.text()));
  await before?.(page);
  await page.goto(site);
  await ready(page);
  return { page, context, site, said };
}

const init = `flows.init('proj_one', { external_id: 'u' });`;

test.serial('a page that tracks all the time sends all the time, and every event once', async t => {
  const collector = await openCollector(t);
  const { page } = await openShop(t, collector);
  await page.evaluate(`${init} window.n = 0; window.steady = setInterval(() => flows.track('n' + n++), 40)`);
  await untilCollected(collector, 30);
  const tracked = await page.evaluate('clearInterval(window.steady), n');
  await untilCollected(collector, Number(tracked));
  t.deepEqual(
    namesOf(collector),
    Array.from({ length: Number(tracked) }, (_, index) => `n${index}`),
  );
  t.true(collector.requests < Number(tracked) / 4, `${collector.requests} requests`);
});

test.serial('1,000 calls in one loop all arrive, in full requests', async t => {
  const collector = await openCollector(t);
  const { page } = await openShop(t, collector);
  await page.evaluate(`${init} for (let n = 0; n < 1000; n++) flows.track('n' + n)`);
  await untilCollected(collector, 1000);
  t.is(new Set(namesOf(collector)).size, 1000);
  t.is(collector.requests, 10);
  await page.waitForFunction('Object.keys(localStorage).length === 0');
});

test.serial('with the server away a call writes at most itself, and a backlog is written about once', async t => {
  const collector = await openCollector(t);
  collector.plan = Array.from({ length: 100 }, () => 'cut');
  const { page } = await openShop(t, collector);
  const sizes = await page.evaluate(`(async () => {
    let written = 0;
    const setItem = Storage.prototype.setItem;
    Storage.prototype.setItem = function (key, value) { written += value.length; setItem.call(this, key, value); };
    ${init}
    const props = { text: 'x'.repeat(1000) };
    for (let n = 0; n < 500; n++) flows.track('n' + n, props);
    await new Promise(resolve => setTimeout(resolve, 400));
    const backlog = written;
    written = 0;
    flows.track('one more', props);
    return { backlog, call: written, saved: JSON.stringify(localStorage).length };
  })()`);
  const { backlog, call, saved } = sizes as Record<string, number>;
  t.true((call as number) < 2000, 'no more than the event itself');
  t.true((saved as number) > 500_000);
  t.true((backlog as number) < 2 * (saved as number), `${backlog} characters for ${saved}`);
});

test.serial('an event of yesterday is dropped by a page that stayed open', async t => {
  const collector = await openCollector(t);
  const { page, said } = await openShop(t, collector, '', page => page.clock.install());
  collector.plan = ['cut'];
  const failed = page.waitForEvent('requestfailed');
  await page.evaluate(`${init} flows.track('old'); flows.flush()`);
  await failed;
  collector.plan = Array.from({ length: 1000 }, () => 'cut');
  await page.clock.fastForward(25 * hourMs);
  collector.plan = [];
  await page.evaluate(`flows.track('new')`);
  await page.clock.runFor(1000);
  await untilCollected(collector, 1);
  t.deepEqual(namesOf(collector), ['new']);
  t.deepEqual(said, ['flows: events were dropped: too many or too old']);
});

test.serial('each event goes to the project it was tracked for, also after a reload', async t => {
  const collector = await openCollector(t);
  const { page, site } = await openShop(t, collector);
  const both = `flows.init('proj_one'); flows.track('a'); flows.init('proj_two'); flows.track('b');`;
  await page.evaluate(both);
  await untilCollected(collector, 2);
  collector.plan = ['cut', 'cut'];
  await page.evaluate(both);
  await page.goto(site);
  await ready(page);
  await page.evaluate(`flows.init('proj_two'); flows.init('proj_one')`);
  // A request that the page left without its answer is sent again: the server stores each id once.
  const sent = () => new Map(collector.events.map(event => [event.dedup_id, `${event.name} ${event.project}`]));
  await until(async () => sent().size, 4);
  t.deepEqual([...sent().values()].sort(), ['a proj_one', 'a proj_one', 'b proj_two', 'b proj_two']);
});

test.serial('a request without an answer is given up, and its events are sent again', async t => {
  const collector = await openCollector(t);
  collector.plan = ['hang'];
  const { page } = await openShop(t, collector);
  await page.evaluate(`${init} flows.track('first'); flows.flush(); flows.track('second')`);
  await untilCollected(collector, 2);
  t.deepEqual(namesOf(collector), ['first', 'second']);
});

test.serial('calls before the script keep their times, in the words of the guide and in older ones', async t => {
  const collector = await openCollector(t);
  let deliver = () => {};
  collector.scriptReady = new Promise(resolve => {
    deliver = resolve;
  });
  const stub = `window.flows = { q: [], init(...a) { this.q.push([Date.now(), 'init', ...a]); },
      track(...a) { this.q.push([Date.now(), 'track', ...a]); } };
    ${init} flows.track('first'); flows.q.push(['track', 'older']);
    setTimeout(() => { flows.track('second'); window.asked = Date.now(); }, 300);`;
  const opening = openShop(t, collector, stub, page => {
    const asked = () => page.waitForFunction('window.asked !== undefined');
    page.on('request', request => void (request.url().endsWith('.js') && asked().then(() => deliver())));
  });
  const { page } = await opening;
  await untilCollected(collector, 3);
  const times = new Map(collector.events.map(event => [event.name, Date.parse(event.timestamp)]));
  const asked = Number(await page.evaluate('window.asked'));
  t.true((times.get('first') ?? 0) <= asked - 250);
  t.true((times.get('second') ?? 0) <= asked);
  t.true((times.get('older') ?? 0) >= asked);
});

test.serial('ids that are numbers are sent as text; nobody is nobody; the first refusal is said, once', async t => {
  const collector = await openCollector(t);
  const { page, said } = await openShop(t, collector);
  await page.evaluate(`flows.init('proj_one', { external_id: 4242 }); flows.track('number');
    flows.init('proj_one', { external_id: '' }); flows.track('nobody');`);
  await untilCollected(collector, 2);
  t.deepEqual(
    collector.events.map(event => event.external_user_id),
    ['4242', undefined],
  );
  t.is(await page.evaluate('window.upquorumIdentity.user.external_id'), undefined);
  const errors = [{ index: 0, pointer: '/0/name', code: 'required', detail: 'is required' }];
  for (let round = 1; round <= 2; round++) {
    collector.plan = [{ status: 422, body: { errors } }];
    await page.evaluate(`flows.track(''); flows.flush()`);
    await until(
      async () => collector.requests,
      requests => requests === 1 + round,
    );
    await page.waitForFunction('Object.keys(localStorage).length === 0');
  }
  t.deepEqual(said, ['flows: events were refused: /0/name is required']);
});

test.serial('a page that is opened often takes over what closed ones left, and leaves what open ones have', async t => {
  const collector = await openCollector(t);
  collector.plan = Array.from({ length: 4 }, () => 'cut');
  const { page, context, site } = await openShop(t, collector);
  await page.evaluate(`${init} flows.track('of an open page')`);
  const { page: closing } = await openPage(context, site);
  await ready(closing);
  await closing.evaluate(`${init} flows.track('of a closed page')`);
  await closing.waitForFunction(`Object.keys(localStorage).filter(key => key.split(':').length === 4).length === 2`);
  await closing.goto('about:blank');
  const { page: third } = await openPage(context, site);
  await ready(third);
  await third.evaluate(init);
  await untilCollected(collector, 2);
  t.deepEqual(namesOf(collector).sort(), ['of a closed page', 'of an open page']);
});
