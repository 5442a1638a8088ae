import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { startReplica, until } from '#test/support/control-plane.ts';
import { openBrowser, openPage, openSite } from '#test/support/customer-site.ts';
import { useDatabase } from '#test/support/database.ts';
import { type EventWorld, openEventWorld } from '#test/support/events.ts';
import { fixedPort } from '#test/support/fixed-port.ts';

const databaseOf = useDatabase(test);
const stub = `window.flows = window.flows || {
  q: [],
  init(...a) { this.q.push([Date.now(), "init", ...a]); },
  track(...a) { this.q.push([Date.now(), "track", ...a]); },
};`;

/** A customer's page that loads the script from the control plane, and sends events there or to a proxy. */
function shop(world: EventWorld, options: { endpoint?: string; user?: string; head?: string } = {}): string {
  const init = JSON.stringify({ external_id: options.user ?? 'u' });
  const more = JSON.stringify(options.endpoint === undefined ? {} : { endpoint: options.endpoint });
  const script = `${options.head ?? ''}${stub}flows.init('${world.projectId}', ${init}, ${more});`;
  return `<!doctype html><title>shop</title><script>${script}</script>
    <script defer crossorigin="anonymous" src="${world.replica.url}/client/v0/flows.js"></script>`;
}

const track = (name: string) => `flows.track(${JSON.stringify(name)}, { from: 'page' })`;
/** How many pages have events in storage. */
const openQueues = `Object.keys(localStorage).filter(key => key.split(':').length === 3).length`;
const namesOf = async (world: EventWorld) => (await world.stored()).map(event => event.name).sort();
const untilStored = (world: EventWorld, names: readonly string[]) =>
  until(
    () => namesOf(world),
    found => found.join() === [...names].sort().join(),
  );

test.serial(
  'one script tag, init and track: the event is on the user’s timeline within seconds, unchanged',
  async t => {
    const world = await openEventWorld(t, databaseOf());
    const browser = await openBrowser(t);
    const { page, faults } = await openPage(
      browser,
      await openSite(t, shop(world, { head: `${stub}flows.track('before init');` })),
    );
    await page.evaluate(track('signed up'));
    await untilStored(world, ['before init', 'signed up']);
    const { data } = (await world.api('GET', '/v0/users/u/timeline')).body;
    t.like(
      data.find((item: { name: string }) => item.name === 'signed up'),
      { type: 'track', props: { from: 'page' } },
    );
    const identity = await page.evaluate('window.upquorumIdentity');
    t.like(identity, { project_id: world.projectId, user: { external_id: 'u' } });
    // Stored events leave the queue of the page as soon as it has the answer.
    await page.waitForFunction('Object.keys(localStorage).length === 0');
    t.deepEqual(faults, []);
  },
);

test.serial('a page that closes right after track loses no event', async t => {
  const world = await openEventWorld(t, databaseOf());
  const browser = await openBrowser(t);
  const site = await openSite(t, shop(world));
  const context = await browser.newContext();
  const left = await openPage(context, site);
  await left.page.waitForFunction('window.upquorumIdentity !== undefined');
  await left.page.evaluate(`${track('left')}; location.href = 'about:blank'`);
  const closed = await openPage(context, site);
  await closed.page.waitForFunction('window.upquorumIdentity !== undefined');
  await closed.page.evaluate(track('closed'));
  await closed.page.close({ runBeforeUnload: true });
  await untilStored(world, ['left', 'closed']);
  const next = await openPage(context, site);
  await next.page.waitForFunction('window.upquorumIdentity !== undefined && Object.keys(localStorage).length === 0');
  t.deepEqual(await namesOf(world), ['closed', 'left'], 'events that the next page repeats are stored once');
});

test.serial('many events at once are sent in requests that outlive the page, and none is lost', async t => {
  const world = await openEventWorld(t, databaseOf());
  const browser = await openBrowser(t);
  const site = await openSite(t, shop(world));
  const context = await browser.newContext();
  const { page } = await openPage(context, site);
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  await page.evaluate(
    `for (let i = 0; i < 220; i++) flows.track('n' + i, { text: 'x'.repeat(500) }); location.href = 'about:blank'`,
  );
  await page.waitForURL('about:blank');
  // More than a closing page may send: the rest waits for the next visit.
  await openPage(context, site);
  await until(
    async () => new Set(await namesOf(world)).size,
    count => count === 220,
  );
  t.is((await world.stored()).length, 220);
});

test.serial('after an outage of the server every event is stored once', async t => {
  const world = await openEventWorld(t, databaseOf(), { changes: { port: await fixedPort() } });
  const browser = await openBrowser(t);
  const { page, faults } = await openPage(browser, await openSite(t, shop(world)));
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  await page.evaluate(track('before'));
  await untilStored(world, ['before']);
  await world.replica.stop();
  const refused = page.waitForEvent('requestfailed');
  await page.evaluate(`${track('away 1')}; ${track('away 2')}`);
  await refused;
  t.is(await page.evaluate(openQueues), 1, 'they wait in storage, which survives a crash');
  const back = await startReplica(databaseOf(), { port: world.replica.port });
  t.teardown(() => back.stop());
  await untilStored(world, ['before', 'away 1', 'away 2']);
  t.deepEqual(faults, []);
});

test.serial('with a lost response, an overloaded server and a reload an event is stored once', async t => {
  const world = await openEventWorld(t, databaseOf());
  const between = await openBetween(t, world.replica.url);
  const browser = await openBrowser(t);
  const site = await openSite(t, shop(world, { endpoint: `${between.url}/v0/events` }));
  const { page } = await openPage(browser, site);
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  between.plan.push('lose the response', 'busy', 'lose the response');
  await page.evaluate(track('once'));
  await until(
    async () => between.seen.length,
    count => count >= 2,
  );
  await page.reload();
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  await until(
    async () => between.seen.filter(request => request.status === 202).length,
    count => count >= 1,
  );
  await page.waitForFunction('Object.keys(localStorage).length === 0');
  t.deepEqual(await namesOf(world), ['once']);
  t.true(between.seen.length >= 4);
  const busy = between.seen.findIndex(request => request.status === 503);
  t.true((between.seen[busy + 1]?.at ?? 0) - (between.seen[busy]?.at ?? 0) >= 0);
  t.true(
    between.seen.every(request => request.method === 'POST'),
    'no preflight request',
  );
});

test.serial('events of a closed tab are sent by the next page, and all are stored once', async t => {
  const world = await openEventWorld(t, databaseOf());
  const between = await openBetween(t, world.replica.url);
  const browser = await openBrowser(t);
  const site = await openSite(t, shop(world, { endpoint: `${between.url}/v0/events` }));
  const context = await browser.newContext();
  const [first, second] = [await openPage(context, site), await openPage(context, site)];
  for (const { page } of [first, second]) await page.waitForFunction('window.upquorumIdentity !== undefined');
  between.refuse = true;
  await first.page.evaluate(`for (const n of [1, 2, 3]) flows.track('first ' + n)`);
  await second.page.evaluate(`for (const n of [1, 2, 3]) flows.track('second ' + n)`);
  await second.page.waitForFunction(`${openQueues} === 2`);
  await first.page.goto('about:blank');
  between.refuse = false;
  const third = await openPage(context, site);
  await untilStored(world, ['first 1', 'first 2', 'first 3', 'second 1', 'second 2', 'second 3']);
  await third.page.waitForFunction('Object.keys(localStorage).length === 0');
  const sessions = await third.page.evaluate('window.upquorumIdentity.session_id');
  t.not(sessions, await second.page.evaluate('window.upquorumIdentity.session_id'));
});

test.serial('with storage blocked events are still sent, also when the page closes', async t => {
  const world = await openEventWorld(t, databaseOf());
  const browser = await openBrowser(t);
  const head = `for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });`;
  const { page, faults } = await openPage(browser, await openSite(t, shop(world, { head })));
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  await page.evaluate(track('open'));
  await untilStored(world, ['open']);
  await page.evaluate(`${track('leaving')}; location.href = 'about:blank'`);
  await untilStored(world, ['open', 'leaving']);
  t.deepEqual(faults, []);
});

test.serial('the clock of a page may be hours off: its events have their true times', async t => {
  const world = await openEventWorld(t, databaseOf());
  const browser = await openBrowser(t);
  const site = await openSite(t, shop(world));
  for (const [name, hours] of Object.entries({ ahead: 2, behind: -3 })) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.clock.install({ time: Date.now() + hours * 3_600_000 });
    await page.goto(site);
    await page.waitForFunction('window.upquorumIdentity !== undefined');
    await page.evaluate(`${track(name)}; flows.flush()`);
    const [event] = await until(
      async () => (await world.stored()).filter(event => event.name === name),
      events => events.length === 1,
    );
    const offMs = Math.abs(Date.now() - (event?.timestamp ?? 0));
    t.true(offMs < 60_000, `${name}: ${offMs} ms off`);
    await context.close();
  }
});

test.serial('1,000 calls in one loop are stored at the rate of the server', async t => {
  const world = await openEventWorld(t, databaseOf());
  const browser = await openBrowser(t);
  const { page } = await openPage(browser, await openSite(t, shop(world)));
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  await page.evaluate(`for (let n = 0; n < 1000; n++) flows.track('n' + n)`);
  await until(
    async () => (await namesOf(world)).length,
    count => count === 1000,
  );
  t.is(new Set(await namesOf(world)).size, 1000);
});

test.serial('origins, refusals and strange props never throw into the page, and Do Not Track is respected', async t => {
  const world = await openEventWorld(t, databaseOf());
  const browser = await openBrowser(t);
  const site = await openSite(t, shop(world));
  const { page, faults } = await openPage(browser, site);
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  await page.evaluate(`const loop = {}; loop.loop = loop; flows.track('loop', loop); flows.track('big', { n: 10n });
    flows.track(''); flows.track(undefined); flows.track('large', { text: 'x'.repeat(50000) }); flows.track('fine');`);
  await untilStored(world, ['fine']);
  await world.api('PATCH', '/v0/project', { allowed_origins: ['https://elsewhere.example'] });
  const refused = page.waitForResponse(response => response.status() === 403);
  await page.evaluate(track('refused'));
  await refused;
  await page.waitForFunction('Object.keys(localStorage).length === 0');
  await world.api('PATCH', '/v0/project', { allowed_origins: [new URL(site).origin] });
  await page.evaluate(track('allowed'));
  await untilStored(world, ['fine', 'allowed']);
  await page.evaluate(`Object.defineProperty(navigator, 'doNotTrack', { value: '1' });
    flows.init('${world.projectId}', { external_id: 'u' }, { respect_do_not_track: true }); flows.track('silent')`);
  await page.evaluate(`flows.init('${world.projectId}'); flows.track('heard')`);
  await untilStored(world, ['fine', 'allowed', 'heard']);
  t.deepEqual(faults, []);
});

test.serial('the sample page works with the address that npm start prints', async t => {
  const world = await openEventWorld(t, databaseOf());
  const flow = await world.api('POST', '/v0/flows', {
    name: 'Purchase',
    steps: [{ event: 'product viewed' }, { event: 'paid' }],
  });
  const browser = await openBrowser(t);
  const url = `${world.replica.url}/client/demo#project=${world.projectId}&flow=${flow.body.id}&token=${world.token}`;
  const { page, faults } = await openPage(browser, url);
  await page.click('[data-event="product viewed"]');
  await untilStored(world, ['product viewed']);
  await page.waitForSelector('#funnel img');
  await page.locator('#timeline', { hasText: 'product viewed' }).waitFor();
  t.deepEqual(faults, []);
});

type Seen = { method: string; status: number; at: number };

/** A proxy between page and server that fails as networks do. */
async function openBetween(t: ExecutionContext, target: string) {
  const between = { url: '', plan: [] as ('lose the response' | 'busy')[], refuse: false, seen: [] as Seen[] };
  const server: Server = createServer((request, response) => {
    if (between.refuse) return void request.socket.destroy();
    const fault = between.plan.shift();
    const note = (status: number) => between.seen.push({ method: request.method ?? '', status, at: performance.now() });
    if (fault === 'busy') {
      note(503);
      response.writeHead(503, {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'Retry-After',
        'Retry-After': '1',
      });
      return void response.end();
    }
    const forward = httpRequest(
      new URL(request.url ?? '/', target),
      { method: request.method, headers: request.headers },
      (answer: IncomingMessage) => {
        if (fault === 'lose the response') {
          note(0);
          answer.resume();
          return void request.socket.destroy();
        }
        note(answer.statusCode ?? 0);
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    forward.on('error', () => request.socket.destroy());
    request.pipe(forward);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.closeAllConnections());
  t.teardown(() => server.close());
  between.url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return between;
}
