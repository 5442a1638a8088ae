import { readFileSync } from 'node:fs';
import test from 'ava';
import { accept, openFakePage } from '#test/support/fake-page.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const init = `flows.init('proj_one', { external_id: 'u' });`;
const cut = () => Promise.reject(new TypeError('the connection was cut'));

/** A page with one event that failed and is now too old; the server is back. */
async function openStalePage() {
  const page = openFakePage();
  page.answer = cut;
  page.run(`${init} flows.track('old')`);
  await page.pass(600);
  page.answer = accept;
  page.sleep(25 * hourMs);
  return page;
}

test('a page whose waiting events all became too old sends the next ones', async t => {
  const page = await openStalePage();
  await page.pass(minuteMs);
  page.requests.length = 0;
  page.run(`flows.track('new')`);
  await page.pass(10 * minuteMs);
  t.deepEqual(page.requests, [['new']]);
});

test('a page that closes sends no event that became too old', async t => {
  const page = await openStalePage();
  page.requests.length = 0;
  page.run(`dispatchEvent(new Event('pagehide'))`);
  await page.pass(0);
  t.deepEqual(page.requests, []);
  page.run(`flows.track('new')`);
  await page.pass(minuteMs);
  t.deepEqual(page.requests, [['new']]);
});

test('a loop of 5,000 calls writes nothing by itself, and storage is written ten times per second at most', async t => {
  const page = openFakePage();
  page.run(`${init} for (let n = 0; n < 5000; n++) flows.track('n' + n)`);
  t.deepEqual(page.writes, []);
  await page.pass(10_000);
  const times = [...new Set(page.writes.map(({ at }) => at))];
  t.true(times.every((at, index) => at - (times[index - 1] ?? 0) >= 100));
  t.is(page.requests.flat().length, 2100, 'as many as a page keeps, and those that were being sent');
  t.deepEqual(Object.keys(page.storage), []);
});

/** What a closed page has left in localStorage: 40 pieces of some 50 KB. */
function backlog(): Record<string, string> {
  const text = 'x'.repeat(5000);
  const at = Date.UTC(2026, 10, 24, 11);
  const pieceOf = (piece: number) =>
    Array.from({ length: 10 }, (_, index) => [at, JSON.stringify({ name: `${piece}-${index}`, props: { text } })]);
  const pieces = Array.from({ length: 39 }, (_, piece) => [
    `flows:proj_one:closed:${piece}`,
    JSON.stringify(pieceOf(piece)),
  ]);
  return Object.fromEntries([['flows:proj_one:closed', '0'], ...pieces]);
}

test('what a closed page left is taken over piece by piece, not while the page starts', async t => {
  const page = openFakePage({ stored: backlog() });
  page.run(init);
  t.deepEqual(page.writes, []);
  await page.pass(10_000);
  const charactersAt = new Map<number, number>();
  for (const { at, characters } of page.writes) charactersAt.set(at, (charactersAt.get(at) ?? 0) + characters);
  t.true([...charactersAt.values()].every(characters => characters < 130_000));
  t.is(new Set(page.requests.flat()).size, 390);
  t.is(page.requests.flat().length, 390);
  t.deepEqual(Object.keys(page.storage), []);
});

test('what is not of this client is removed from its keys, and another project keeps its own', async t => {
  const page = openFakePage({ stored: { 'flows:proj_one:closed:0': '{"a":1}', 'flows:proj_two:closed:0': '[]' } });
  page.run(init);
  await page.pass(minuteMs);
  t.deepEqual(Object.keys(page.storage), ['flows:proj_two:closed:0']);
});

test('each kind of warning is given once', async t => {
  const page = openFakePage();
  page.answer = () => Response.json({ detail: 'this origin is not allowed' }, { status: 403 });
  page.run(`${init} for (const name of ['a', 'b']) flows.track(name, { text: 'x'.repeat(20000) })`);
  for (const name of ['c', 'd']) {
    page.run(`flows.track('${name}')`);
    await page.pass(1000);
  }
  t.deepEqual(page.warnings, ['flows: too large: a', 'flows: events were refused: this origin is not allowed']);
});

for (const values of [`null, null`, `undefined, null`, `{ external_id: Object.create(null) }`])
  test(`init('proj_one', ${values}) does not throw into the page`, async t => {
    const page = openFakePage();
    page.run(`${init} flows.init('proj_one', ${values}); flows.track('a')`);
    await page.pass(1000);
    t.deepEqual(page.requests, [['a']]);
  });

test('the lines of the guide queue every call that the client has', async t => {
  const guide = readFileSync(new URL('../../../../docs/browser-client.md', import.meta.url), 'utf8');
  const [, stub = ''] = /<script>\n([\s\S]*?;)\n {2}flows\.init/.exec(guide) ?? [];
  const page = openFakePage({ head: `${stub} ${init} flows.track('a'); flows.flush(); flows.track('b');` });
  await page.pass(0);
  t.deepEqual(page.requests, [['a']]);
  await page.pass(1000);
  t.deepEqual(page.requests, [['a'], ['b']]);
});

test('a request without a response is given up after 15 seconds, also without AbortSignal.timeout', async t => {
  const page = openFakePage({ globals: { AbortSignal: undefined } });
  page.answer = (_, { signal }) => new Promise((_, reject) => signal?.addEventListener('abort', reject));
  page.run(`${init} flows.track('a'); flows.flush()`);
  await page.pass(14_900);
  t.is(page.requests.length, 1);
  page.answer = accept;
  await page.pass(5000);
  t.deepEqual(page.requests, [['a'], ['a']]);
});

const hour = 3600;
const waits: [retryAfter: string, leastSeconds: number, mostSeconds: number][] = [
  ['0', 0, 3],
  ['-5', 0, 3],
  ['soon', 0, 3],
  ['Tue, 24 Nov 2026 12:10:00 GMT', 595, 601],
  ['Mon, 24 Nov 1997 12:00:00 GMT', 0, 3],
  ['120', 120, 121],
  ['3000000', hour, hour + 1],
  ['1000000000000', hour, hour + 1],
  ['1e400', hour, hour + 1],
];
for (const [retryAfter, least, most] of waits)
  test(`after a 429 with Retry-After: ${retryAfter} the next request comes in ${least} to ${most} seconds`, async t => {
    const page = openFakePage();
    page.answer = () => new Response('', { status: 429, headers: { 'Retry-After': retryAfter } });
    page.run(`${init} flows.track('a'); flows.flush()`);
    await page.pass(0);
    await page.pass(least * 1000 - 1);
    t.is(page.requests.length, 1);
    page.answer = accept;
    await page.pass((most - least) * 1000 + 1);
    t.is(page.requests.length, 2);
  });

test('what another library wrote into its keys does not stop a page', async t => {
  const spoilt = [JSON.stringify('[[1, "{}"]]'), '[null, 1, "ab", ["x", "{}"], [1]]', '[[1e300, "{}"]]'];
  const stored = Object.fromEntries(spoilt.map((text, index) => [`flows:proj_one:closed:${index}`, text]));
  const page = openFakePage({ stored });
  page.run(`${init} flows.track('a')`);
  await page.pass(minuteMs);
  t.deepEqual(page.requests, [['a']]);
});

test('a storage from which nothing can be removed is not read again and again', async t => {
  const page = openFakePage({ stored: { 'flows:proj_one:closed:0': '[]' } });
  let reads = 0;
  const getItem = page.storage.getItem as unknown as (key: string) => string | null;
  const removeItem = () => {
    throw new Error('denied');
  };
  Object.assign(Object.getPrototypeOf(page.storage), {
    removeItem,
    getItem(this: object, key: string) {
      reads += 1;
      return getItem.call(this, key);
    },
  });
  page.run(`${init} flows.track('a')`);
  await page.pass(minuteMs);
  t.deepEqual(page.requests, [['a']]);
  t.true(reads < 20, `${reads} reads`);
});

const answers: [string, () => Response, requests: number, warnings: string[]][] = [
  ['a page of a portal', () => new Response('<p>Sign in', { status: 200 }), 2, []],
  ['nothing', () => new Response(null, { status: 204 }), 2, []],
  ['202 and a text that breaks off', () => new Response('{"acc', { status: 202 }), 1, []],
  ['200 and JSON', () => Response.json({ errors: [] }), 1, []],
  ['404 of a proxy', () => new Response('<p>', { status: 404 }), 1, ['flows: events were refused: 404']],
];
for (const [name, answer, requests, warnings] of answers)
  test(`events that are answered with ${name} are sent ${requests === 1 ? 'once' : 'again'}`, async t => {
    const page = openFakePage();
    page.answer = answer;
    page.run(`${init} flows.track('a')`);
    await page.pass(600);
    page.answer = accept;
    await page.pass(minuteMs);
    t.is(page.requests.length, requests);
    t.deepEqual(page.warnings, warnings);
  });
