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
