import test from 'ava';
import { type OpenPage, openPage } from './page/open-page.ts';
import { lost, Reply } from './page/server.ts';
import { project } from './page/world.ts';
import { views } from './views.ts';

const hostile = '<img src=x onerror=alert(1)> "quoted" & \u202e';
const long = `${'Payments of the northern warehouse '.repeat(8)}end`;
const texts = new Set(['name', 'title', 'detail', 'description', 'summary', 'body', 'event', 'version', 'recipient']);

/** The same answer with another text wherever people name or describe things. */
function renamed(answer: unknown, text: string): unknown {
  if (typeof answer === 'function') return (...given: unknown[]) => renamed(answer(...given), text);
  if (answer instanceof Reply || typeof answer !== 'object' || answer === null) return answer;
  if (Array.isArray(answer)) return answer.map(item => renamed(item, text));
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name,
      texts.has(name) && typeof value === 'string' && value !== '' ? text : renamed(value, text),
    ]),
  );
}

const worldNamed = (text: string) =>
  Object.fromEntries(Object.entries(project).map(([operation, answer]) => [operation, renamed(answer, text)]));
const [hostileWorld, longWorld] = [worldNamed(hostile), worldNamed(long)];

const executable = (page: OpenPage) => page.document.querySelectorAll('img[src="x"], script, [onerror]').length;
/** What is typed in fields counts as shown, too. */
const shows = (page: OpenPage, text: string) =>
  page.text().includes(text) ||
  page.all('input, textarea').some(field => (field as HTMLInputElement).value.includes(text));
/** These show nothing that people named, or nothing but their own name. */
const nameless = new Set([
  ...['#/status-pages/new', '#/channels/new', '#/events/flows/new', '#/settings/limits', '#/monitors/new'],
  ...['#/status-pages/sp_1?tab=subscribers'],
]);

for (const { address, needs, title } of views) {
  test(`${address} shows markup as text, long names whole, and how old it is when the server is away`, async t => {
    const page = await openPage(t, address, { answers: hostileWorld });
    const check = (name: string): void => {
      t.is(executable(page), 0);
      t.deepEqual(page.problems(), []);
      if (!nameless.has(address)) t.true(shows(page, name), page.text());
    };
    check('<img src=x onerror=alert(1)> "quoted" &');
    page.server.change(longWorld);
    await page.go('#/nowhere');
    await page.go(address);
    check(long);
    // A new flow needs nothing again once it is shown.
    if (needs === null || address === '#/events/flows/new') return;
    const heading = page.heading();
    page.server.change(Object.fromEntries(Object.keys(project).map(operation => [operation, lost])));
    await page.comeOnline();
    t.regex(page.text(), /^Connection lost\. Showing data as of 10:00:\d\d UTC\./);
    t.is(page.heading(), heading);
    page.server.change(project);
    await page.comeOnline();
    t.notRegex(page.text(), /Connection lost/);
    t.is(page.heading(), title);
  });
}
