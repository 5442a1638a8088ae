import test from 'ava';
import { scopeResources } from '#control-plane/web/dashboard/app/features/settings/scopes.ts';
import { type OpenPage, openPage } from './page/open-page.ts';
import { lost, pending, problem } from './page/server.ts';
import { project } from './page/world.ts';
import { views } from './views.ts';

const readAll = scopeResources.map(([resource]) => `${resource}:read`);
const marks = /\bundefined\b|\bNaN\b|\[object|\bnull\b|Invalid Date|Infinity/;
const rawId = /^(mon|alr|inc|mnt|sp|cmp|chn|rte|flw|rel|tok|agt|wal|sub|whk|ntc)_\w+$/;

/** What holds in every state of every view. */
function faultsOf(page: OpenPage): string[] {
  const text = page.wholeText();
  const names = [...page.buttons(), ...page.links().map(([name]) => name), ...page.fields()];
  return [
    ...(marks.test(text) ? [`says ${marks.exec(text)?.[0]}`] : []),
    ...names.filter(name => name === '').map(() => 'a control has no name'),
    ...names.filter(name => rawId.test(name)).map(name => `${name} is all that a control is called`),
    ...(page.all('h1').length === 1 ? [] : ['there is not one heading']),
    ...page.server.unanswered.map(operation => `asks for ${operation}`),
  ];
}

for (const { address, title, before, needs, says, empty, readOnly } of views) {
  test(`${address} shows what there is`, async t => {
    const page = await openPage(t, address);
    t.deepEqual(faultsOf(page), []);
    t.deepEqual(page.problems(), []);
    t.is(page.heading(), title);
    t.is(page.document.title, `${title} · Upquorum`);
    for (const text of says) t.true(page.text().includes(text), `${text} in ${page.text()}`);
    t.true(page.links().length + page.buttons().length > 0, 'something leads on');
  });

  if (readOnly !== undefined)
    test(`${address} offers a token that may only read nothing that would be refused`, async t => {
      const page = await openPage(t, address, { scopes: readAll });
      t.deepEqual(faultsOf(page), []);
      const offered = [...page.buttons(), ...page.links().map(([name]) => name)];
      t.deepEqual(
        readOnly.misses.filter(name => offered.includes(name)),
        [],
      );
      if (readOnly.says !== undefined) t.true(page.text().includes(readOnly.says), page.text());
      t.deepEqual(
        page.server.sent.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
        [],
      );
    });

  if (needs === null) continue;

  test(`${address} says whether it loads, has nothing, cannot be reached or was refused`, async t => {
    const page = await openPage(t, address, { answers: { [needs]: pending } });
    const say = async (answer: unknown, said: readonly string[]): Promise<void> => {
      page.server.change({ [needs]: answer });
      await page.go('#/nowhere');
      await page.go(address);
      for (const text of said) t.true(page.text().includes(text), `${text} in ${page.text()}`);
      t.deepEqual(faultsOf(page), []);
    };
    await say(pending, [before, 'Loading…']);
    if (empty !== undefined) {
      page.server.change({ [needs]: project[needs], ...empty.answers });
      await page.go('#/nowhere');
      await page.go(address);
      t.deepEqual([...page.lacks(empty.says), ...page.problems(), ...faultsOf(page)], []);
      page.server.change(Object.fromEntries(Object.keys(empty.answers).map(name => [name, project[name]])));
    }
    await say(problem(404, 'not_found', 'No such thing'), [before, 'This does not exist or was deleted.']);
    await say(problem(403, 'insufficient_scope', 'needs the scope x:read'), [
      before,
      'You do not have access. Needs the scope x:read.',
    ]);
    await say(problem(500, 'internal', 'Something went wrong'), [
      'Something went wrong. Try again. If the problem persists, send this request ID',
      'Request ID req_77',
    ]);
    await say(lost, ['The server cannot be reached. Check the connection, then try again.']);
    page.server.change({ [needs]: project[needs] });
    await page.press('Try again');
    t.is(page.heading(), title);
    t.deepEqual(page.problems(), []);
  });
}
