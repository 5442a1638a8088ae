import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { startReplica, until } from '#test/support/control-plane.ts';
import { openBrowser, openPage, openSite } from '#test/support/customer-site.ts';
import { useDatabase } from '#test/support/database.ts';
import { type EventWorld, openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);
const stub =
  'window.flows = window.flows || { q: [], init(...a) { this.q.push(["init", ...a]); }, track(...a) { this.q.push(["track", ...a]); } };';

/** A customer's page that loads the script from the control plane, or sends through something in between. */
function shop(world: EventWorld, options: { endpoint?: string; user?: string; head?: string } = {}): string {
  const init = JSON.stringify({ external_id: options.user ?? 'u' });
  const more = JSON.stringify(options.endpoint === undefined ? {} : { endpoint: options.endpoint });
  return `<!doctype html><title>shop</title><script>${options.head ?? ''}${stub}flows.init('${world.projectId}', ${init}, ${more});</script>
    <script defer crossorigin="anonymous" src="${world.replica.url}/client/v0/flows.js"></script>`;
}

const track = (name: string) => `flows.track(${JSON.stringify(name)}, { from: 'page' })`;
const namesOf = async (world: EventWorld) => (await world.stored()).map(event => event.name).sort();
const until202 = (world: EventWorld, names: readonly string[]) =>
  until(
    () => namesOf(world),
    found => found.join() === [...names].sort().join(),
    30_000,
  );

test.serial(
  'one script tag, init and track: the event is on the user’s timeline within seconds, as the page meant it',
  async t => {
    const world = await openEventWorld(t, databaseOf());
    const browser = await openBrowser(t);
    const { page, faults } = await openPage(
      browser,
      await openSite(t, shop(world, { head: `${stub}flows.track('before init');` })),
    );
    await page.evaluate(track('signed up'));
    await until202(world, ['before init', 'signed up']);
    const { data } = (await world.api('GET', '/v0/users/u/timeline')).body;
    t.like(
      data.find((item: { name: string }) => item.name === 'signed up'),
      { type: 'track', props: { from: 'page' } },
    );
    const identity = await page.evaluate('window.upquorumIdentity');
    t.like(identity, { project_id: world.projectId, user: { external_id: 'u' } });
    t.is(await page.evaluate('Object.keys(localStorage).length'), 0, 'what is stored there is nowhere else any more');
    t.deepEqual(faults, []);
  },
);

test.serial('the page is closed right after track: the event is kept', async t => {
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
  await until202(world, ['left', 'closed']);
  const again = await openPage(context, site);
  await again.page.waitForFunction('window.upquorumIdentity !== undefined && Object.keys(localStorage).length === 0');
  t.deepEqual(await namesOf(world), ['closed', 'left'], 'what the next page sends again is stored once');
});

test.serial('many events at once leave in pieces that outlive the page, and none is lost', async t => {
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
  // More than a closing page may send at once: the rest waits for the next visit.
  await openPage(context, site);
  await until(
    async () => new Set(await namesOf(world)).size,
    count => count === 220,
    30_000,
  );
  t.is((await world.stored()).length, 220);
});

test.serial('the server is away for a while and back: every event is stored, once', async t => {
  const world = await openEventWorld(t, databaseOf());
  const browser = await openBrowser(t);
  const { page, faults } = await openPage(browser, await openSite(t, shop(world)));
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  await page.evaluate(track('before'));
  await until202(world, ['before']);
  await world.replica.stop();
  await page.evaluate(`${track('away 1')}; ${track('away 2')}`);
  await page.waitForTimeout(1500);
  t.true(
    Number(await page.evaluate('Object.keys(localStorage).length')) === 1,
    'they wait where a crash does not reach them',
  );
  const back = await startReplica(databaseOf(), { port: world.replica.port });
  t.teardown(() => back.stop());
  await until202(world, ['before', 'away 1', 'away 2']);
  t.deepEqual(faults, []);
});

test.serial('an answer that gets lost, an overloaded server and a reload: stored once', async t => {
  const world = await openEventWorld(t, databaseOf());
  const between = await openBetween(t, world.replica.url);
  const browser = await openBrowser(t);
  const site = await openSite(t, shop(world, { endpoint: `${between.url}/v0/events` }));
  const { page } = await openPage(browser, site);
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  between.plan.push('lose the answer', 'busy', 'lose the answer');
  await page.evaluate(track('once'));
  await until(
    async () => between.seen.length,
    count => count >= 2,
    20_000,
  );
  await page.reload();
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  await until(
    async () => between.seen.filter(one => one.status === 202).length,
    count => count >= 1,
    30_000,
  );
  await page.waitForFunction('Object.keys(localStorage).length === 0');
  t.deepEqual(await namesOf(world), ['once']);
  t.true(between.seen.length >= 4);
  const busy = between.seen.findIndex(one => one.status === 503);
  t.true((between.seen[busy + 1]?.at ?? 0) - (between.seen[busy]?.at ?? 0) >= 0);
  t.true(
    between.seen.every(one => one.method === 'POST'),
    'no question beforehand',
  );
});

test.serial(
  'two tabs, one closed with events that did not get through: the other sends them, all are stored once',
  async t => {
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
    t.is(await second.page.evaluate('Object.keys(localStorage).length'), 2, 'each has a queue of its own');
    await first.page.goto('about:blank');
    between.refuse = false;
    const third = await openPage(context, site);
    await until202(world, ['first 1', 'first 2', 'first 3', 'second 1', 'second 2', 'second 3']);
    await third.page.waitForFunction('Object.keys(localStorage).length === 0', undefined, { timeout: 20_000 });
    const sessions = await third.page.evaluate('window.upquorumIdentity.session_id');
    t.not(sessions, await second.page.evaluate('window.upquorumIdentity.session_id'));
  },
);

test.serial('where storage is blocked events still go, also when the page closes', async t => {
  const world = await openEventWorld(t, databaseOf());
  const browser = await openBrowser(t);
  const head = `for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });`;
  const { page, faults } = await openPage(browser, await openSite(t, shop(world, { head })));
  await page.waitForFunction('window.upquorumIdentity !== undefined');
  await page.evaluate(track('open'));
  await until202(world, ['open']);
  await page.evaluate(`${track('leaving')}; location.href = 'about:blank'`);
  await until202(world, ['open', 'leaving']);
  t.deepEqual(faults, []);
});

test.serial(
  'origins, refusals and strange props never throw into the page; who asks not to be tracked is not',
  async t => {
    const world = await openEventWorld(t, databaseOf());
    const browser = await openBrowser(t);
    const site = await openSite(t, shop(world));
    const { page, faults } = await openPage(browser, site);
    await page.waitForFunction('window.upquorumIdentity !== undefined');
    await page.evaluate(`const loop = {}; loop.loop = loop; flows.track('loop', loop); flows.track('big', { n: 10n });
    flows.track(''); flows.track(undefined); flows.track('large', { text: 'x'.repeat(50000) }); flows.track('fine');`);
    await until202(world, ['fine']);
    await world.api('PATCH', '/v0/project', { allowed_origins: ['https://elsewhere.example'] });
    await page.evaluate(track('refused'));
    await page.waitForFunction('Object.keys(localStorage).length === 0');
    await world.api('PATCH', '/v0/project', { allowed_origins: [new URL(site).origin] });
    await page.evaluate(track('allowed'));
    await until202(world, ['fine', 'allowed']);
    await page.evaluate(`Object.defineProperty(navigator, 'doNotTrack', { value: '1' });
    flows.init('${world.projectId}', { external_id: 'u' }, { respect_do_not_track: true }); flows.track('silent')`);
    await page.evaluate(`flows.init('${world.projectId}'); flows.track('heard')`);
    await until202(world, ['fine', 'allowed', 'heard']);
    t.deepEqual(faults, []);
  },
);

test.serial('the sample page works from what npm start prints', async t => {
  const world = await openEventWorld(t, databaseOf());
  const flow = await world.api('POST', '/v0/flows', {
    name: 'Purchase',
    steps: [{ event: 'product viewed' }, { event: 'paid' }],
  });
  const browser = await openBrowser(t);
  const url = `${world.replica.url}/client/demo#project=${world.projectId}&flow=${flow.body.id}&token=${world.token}`;
  const { page, faults } = await openPage(browser, url);
  await page.click('[data-event="product viewed"]');
  await until202(world, ['product viewed']);
  await page.waitForSelector('#funnel img');
  await page.locator('#timeline', { hasText: 'product viewed' }).waitFor();
  t.deepEqual(faults, []);
});

type Seen = { method: string; status: number; at: number };

/** Stands between page and server and does what networks do. */
async function openBetween(t: ExecutionContext, target: string) {
  const between = { url: '', plan: [] as ('lose the answer' | 'busy')[], refuse: false, seen: [] as Seen[] };
  const server: Server = createServer((request, response) => {
    if (between.refuse) return void request.socket.destroy();
    const next = between.plan.shift();
    const note = (status: number) => between.seen.push({ method: request.method ?? '', status, at: performance.now() });
    if (next === 'busy') {
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
        if (next === 'lose the answer') {
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
