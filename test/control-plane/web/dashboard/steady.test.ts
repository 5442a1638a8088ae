import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test('what loads late on an incident moves nothing that can be pressed', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const statusPage = (await world.api('POST', '/v0/status-pages', { name: 'Acme', slug: 'acme-steady' })).body;
  const update = { state: 'investigating', body: 'Cards are refused.' };
  const what = { title: 'Cards fail', severity: 'p2', impact: 'partial', affected_components: [] };
  const body = { ...what, status_page_id: statusPage.id, initial_update: update };
  const incident = (await world.api('POST', '/v0/incidents', body)).body;
  const { page, faults } = await openPage(t, `${world.url}/#/incidents/${incident.id}`);
  const late = Promise.withResolvers<void>();
  await page.route('**/impact', async route => {
    await late.promise;
    await route.continue();
  });
  await signIn(page, world.token);
  const pressed = [page.getByText('Title, impact and components'), page.getByRole('button', { name: 'Edit' })];
  for (const part of pressed) await part.waitFor();
  await page.getByText('ago').first().waitFor();
  const places = () => Promise.all(pressed.map(part => part.boundingBox()));
  const before = await places();
  late.resolve();
  await page.getByText('Releases shortly before').waitFor();
  t.deepEqual(await places(), before);
  t.deepEqual(faults, []);
});
