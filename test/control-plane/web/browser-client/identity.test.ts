import test from 'ava';
import { accept, type FakePage, openFakePage } from '#test/support/fake-page.ts';

type Sent = {
  type?: string;
  name: string;
  timestamp: string;
  external_user_id?: string;
  session_id: string;
  props?: object;
};

/** A page with a history of its own, and what it sends. */
function openApp(head = '') {
  const location = { pathname: '/start' };
  const go = (_: unknown, __: string, path?: string) => {
    if (path !== undefined) location.pathname = path;
  };
  const page: FakePage = openFakePage({
    head: `document.referrer = 'https://search.example/?q=secret'; ${head}`,
    globals: { location, history: { pushState: go, replaceState: go } },
  });
  const sent: Sent[] = [];
  page.answer = (url, request) => {
    sent.push(...JSON.parse(String(request.body)));
    return accept(url, request);
  };
  const run = async (script: string): Promise<Sent[]> => {
    sent.length = 0;
    page.run(script);
    await page.pass(600);
    return [...sent];
  };
  return { page, run };
}

test('from identify on, events are the user’s, in the same session', async t => {
  const { page, run } = openApp();
  const sent = await run(
    `flows.init('proj_one'); flows.track('a'); flows.identify(42, { plan: 'pro' }); flows.track('b')`,
  );
  t.deepEqual(
    sent.map(({ type, name, external_user_id, props }) => [type, name, external_user_id, props]),
    [
      [undefined, 'a', undefined, undefined],
      ['identify', 'identify', '42', { plan: 'pro' }],
      [undefined, 'b', '42', undefined],
    ],
  );
  t.is(new Set(sent.map(event => event.session_id)).size, 1);
  t.is(page.run('upquorumIdentity.user.external_id'), '42');
});

test('reset begins a session of nobody, which the next page goes on with', async t => {
  const { page, run } = openApp();
  const [before] = await run(`flows.init('proj_one', { external_id: 'u' }); flows.track('a')`);
  const [after] = await run(`flows.reset(); flows.track('b')`);
  t.is(after?.external_user_id, undefined);
  t.not(after?.session_id, before?.session_id);
  t.is(page.run(`sessionStorage.getItem('flows:session')`), after?.session_id);
  const [again] = await run(`flows.init('proj_one'); flows.track('c')`);
  t.is(again?.session_id, after?.session_id);
});

test('calls before init, and those that a stub queued, have their order and their times', async t => {
  const queued = `[
    [Date.now() - 9000, 'identify', 'u', { a: 1 }],
    [Date.now() - 8000, 'track', 'a'],
    ['reset'],
    [Date.now() - 7000, 'track', 'b'],
  ]`;
  const { run } = openApp(`window.flows = { q: ${queued} };`);
  const sent = await run(`flows.identify('v'); flows.init('proj_one'); flows.track('c')`);
  t.deepEqual(
    sent.map(({ name, external_user_id }) => [name, external_user_id]),
    [
      ['identify', 'u'],
      ['a', 'u'],
      ['b', undefined],
      ['identify', 'v'],
      ['c', 'v'],
    ],
  );
  const times = sent.map(({ timestamp }) => Date.parse(timestamp));
  t.deepEqual(
    times.map(at => at - (times[0] ?? 0)),
    [0, 1000, 2000, 9000, 9000],
  );
});

test('page views: the path at the start and when it changes, and of the referrer its host alone', async t => {
  const { page, run } = openApp();
  const first = await run(`flows.init('proj_one', null, { pages: true })`);
  t.deepEqual(
    first.map(({ name, props }) => [name, props]),
    [['page', { path: '/start', referrer: 'search.example' }]],
  );
  const next = await run(`
    history.pushState(null, '', '/a');
    history.replaceState({ scrolled: 1 }, '');
    history.replaceState(null, '', '/b');
    flows.init('proj_one', { external_id: 'u' }, { pages: true });
    location.pathname = '/start';
    dispatchEvent(new Event('popstate'));
    dispatchEvent(new Event('popstate'));`);
  t.deepEqual(
    next.map(({ props }) => (props as { path: string }).path),
    ['/a', '/b', '/start'],
  );
  t.deepEqual(page.warnings, []);
});

test('without the option nothing of the page is watched', async t => {
  const { page, run } = openApp();
  const before = page.run('history.pushState');
  t.deepEqual(await run(`flows.init('proj_one'); history.pushState(null, '', '/a')`), []);
  t.is(page.run('history.pushState'), before);
});

test('traits that are not JSON, and a history that cannot be changed, never throw into the page', async t => {
  const { page, run } = openApp('Object.freeze(history);');
  const sent = await run(`
    flows.init('proj_one', null, { pages: true });
    const ring = {}; ring.ring = ring;
    flows.identify('u', ring);
    flows.track('a');`);
  t.deepEqual(
    sent.map(({ name }) => name),
    ['page', 'a'],
  );
  t.true(page.warnings.some(text => text.startsWith('flows: not JSON')));
});
