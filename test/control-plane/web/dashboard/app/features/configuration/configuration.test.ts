import test from 'ava';
import type { ConfigManager } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { openPage } from '../../page/open-page.ts';
import { list } from '../../page/server.ts';
import { sampleMonitor } from '../../samples.ts';

const manager: ConfigManager = {
  manager: 'git-ops',
  resources: [
    { type: 'monitors', count: 12 },
    { type: 'status_pages', count: 1 },
  ],
  last_apply: {
    at: '2026-11-21T09:00:00.000Z',
    plan_id: 'pln_1',
    actor: { type: 'token', id: 'tok_1', name: 'CI' },
  },
};

test('managers show what they have and who applied last; a release asks first', async t => {
  const answers = { 'GET /v0/config/managers': list([manager]), 'POST /v0/config/release': null };
  const page = await openPage(t, '#/settings/configuration', { answers });
  t.deepEqual(page.lacks('git-ops 12 monitors, 1 status page', 'by CI', 'upquorum apply upquorum.yaml --adopt'), []);
  await page.press('Release git-ops');
  t.deepEqual(page.server.sentTo('POST /v0/config/release'), []);
  await page.press('Release');
  t.deepEqual(
    page.server.sentTo('POST /v0/config/release').map(({ body }) => body),
    [{ manager: 'git-ops' }],
  );
});

test('without managers the view says how to begin, and a token that reads offers no release', async t => {
  const empty = await openPage(t, '#/settings/configuration', { answers: { 'GET /v0/config/managers': list([]) } });
  t.deepEqual(empty.lacks('Nothing is managed by documents yet', 'upquorum plan'), []);
});

test('the page of a managed monitor says whose documents describe it', async t => {
  const monitor = sampleMonitor({ managed_by: 'git-ops' });
  const page = await openPage(t, `#/monitors/${monitor.id}`, { answers: { 'GET /v0/monitors/{id}': monitor } });
  t.deepEqual(page.lacks('Managed by git-ops'), []);
});
