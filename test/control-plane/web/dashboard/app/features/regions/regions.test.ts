import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { sampleAgent, sampleRegion, sampleWall } from '../../page/resources.ts';
import { list, problem, Reply } from '../../page/server.ts';

const regions = (...changes: object[]) => ({
  'GET /v0/regions': list(
    changes.map((each, index) => sampleRegion({ code: `r${index}`, name: `R${index}`, ...each })),
  ),
});

test('a region says what is missing, and the worst stands first', async t => {
  const page = await openPage(t, '#/regions', {
    answers: {
      ...regions(
        {},
        { agents_online: 1 },
        { agents_online: 0 },
        { agents_online: 0, agents_total: 0, last_result_at: null },
        { monitors_without_vote: 2 },
        { quarantined_since: '2026-11-21T09:50:00.000Z' },
      ),
      'GET /v0/agents': list([sampleAgent({ region: 'r0' }), sampleAgent({ region: 'r0', version: '0.7.6', id: 'b' })]),
    },
  });
  const cards = page.all('.region-card').map(card => card.querySelector('.badge')?.textContent);
  t.deepEqual(cards, [
    'No agent online',
    'Some agents offline',
    '2 without a vote',
    'Quarantined',
    'No agents',
    'Online',
  ]);
  t.deepEqual(page.lacks('10 min ago: it failed alone, and its votes do not count', '0.7.7 (1), 0.7.6 (1)'), []);
});

test('an agent says how it is and what is wrong with it', async t => {
  const agents = [
    sampleAgent({ results_dropped: 3, spool_failing: true, clock_offset_ms: -2400 }),
    sampleAgent({ id: 'b', name: 'eu-2', state: 'draining', last_seen_at: '2026-11-21T09:59:20.000Z' }),
    sampleAgent({ id: 'c', name: 'eu-3', state: 'offline', last_seen_at: null, version: null, clock_offset_ms: null }),
    sampleAgent({ id: 'd', name: 'eu-4', last_seen_at: '2026-11-21T09:58:00.000Z' }),
  ];
  const page = await openPage(t, '#/regions', { answers: { 'GET /v0/agents': list(agents) } });
  t.deepEqual(
    page.lacks(
      ...['cannot write its spool: waiting results would be lost with it', '3 results dropped', 'its clock is wrong'],
      ...['Connection lost eu-2', 'Never connected eu-3 eu never', 'not seen for 2 min', '−2.4 s'],
    ),
    [],
  );
});

test('an agent is revoked after it was said what that means', async t => {
  const page = await openPage(t, '#/regions');
  await page.press('Revoke eu-1');
  t.deepEqual(page.lacks('Other agents in eu take over its 3 monitors'), []);
  page.server.change({ 'DELETE /v0/agents/{id}': problem(500, 'internal', 'something went wrong') });
  await page.press('Revoke agent');
  t.true(page.problems()[0]?.startsWith('Something went wrong. Try again.'));
  page.server.change({ 'DELETE /v0/agents/{id}': new Reply(204, null), 'GET /v0/agents': list([]) });
  await page.pressTwice('Revoke agent');
  t.is(page.server.sentTo('DELETE /v0/agents/{id}').length, 2);
  t.is(page.dialog(), '');
  t.deepEqual(page.lacks('Agents in shared regions are managed by your operator.'), []);
});

test('agents are registered in private regions, and by the operator in all', async t => {
  t.false((await openPage(t, '#/regions')).buttons().includes('Register agent'), 'the region is shared');
  const operator = await openPage(t, '#/regions', { scopes: ['*', 'agents:operate'] });
  t.true(operator.buttons().includes('Register agent'));
  const page = await openPage(t, '#/regions', {
    answers: { ...regions({ private: true }), 'GET /v0/agents': list([]) },
  });
  t.deepEqual(page.lacks('private', 'No agents yet. Register one, and run it where the checks are to come from.'), []);
  await page.press('Register agent');
  await page.type('Name', 'Rack 7; rm -rf /');
  page.server.change({ 'POST /v0/agents': sampleAgent({ name: 'Rack 7; rm -rf /', secret: 'ags_1' }) });
  await page.press('Register agent');
  t.is(page.dialog(), 'Run Rack 7; rm -rf /');
  const commands = page.all('pre').map(each => each.textContent ?? '');
  t.is(commands.length, 4);
  for (const command of commands) {
    t.true(command.includes('ags_1'));
    t.false(command.includes('; rm'), 'a name is no part of a command');
  }
  await page.press('Done');
  t.is(page.dialog(), '');
});

test('a code is copied, or selected where there is no clipboard', async t => {
  const page = await openPage(t, '#/regions', { answers: regions() });
  const copied: string[] = [];
  const clipboard = { writeText: async (text: string) => void copied.push(text) };
  Object.defineProperty(page.window.navigator, 'clipboard', { value: clipboard, configurable: true });
  await page.press('Copy: Create a region');
  t.deepEqual(copied, ['npm run admin -- region create --code eu-west --name "Western Europe"']);
  t.true(page.wholeText().includes('Create a region: copied'));
  Object.defineProperty(page.window.navigator, 'clipboard', { value: undefined, configurable: true });
  await page.press('Copy: Create a region');
  t.deepEqual(page.lacks('Selected: press Ctrl C'), []);
});

test('a link for a wall is revoked after it was asked', async t => {
  const unseen = sampleWall({ id: 'wal_2', name: 'Lobby', selector: 'env=prod', last_seen_at: null });
  const page = await openPage(t, '#/wall', { answers: { 'GET /v0/walls': list([sampleWall(), unseen]) } });
  t.deepEqual(page.lacks('Operations room all monitors last seen 5 s ago', 'Lobby env=prod not opened yet'), []);
  await page.press('Revoke Lobby');
  t.deepEqual(page.lacks('Every screen that uses it goes blank within seconds.'), []);
  page.server.change({ 'DELETE /v0/walls/{id}': new Reply(204, null) });
  await page.pressTwice('Revoke link');
  t.deepEqual(
    page.server.sentTo('DELETE /v0/walls/{id}').map(({ path }) => path),
    ['/v0/walls/wal_2'],
  );
});
