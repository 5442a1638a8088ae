import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { createRegions, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent } from '#test/support/fake-agent.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test('an operator registers an agent, runs it with what is shown once, and revokes it', async t => {
  const { token, projectId } = await createTenant(databaseOf());
  await createRegions(databaseOf(), ['office'], projectId);
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { page, faults } = await openPage(t, replica.url);
  await signIn(page, token);
  await showView(page, '#/regions');
  await page.getByText('No agent online').waitFor();
  await page.getByRole('button', { name: 'Register agent' }).click();
  await page.getByLabel('Name').fill('Rack 7');
  await page.getByRole('dialog').getByRole('button', { name: 'Register agent' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run Rack 7' });
  const command = await dialog.getByRole('group', { name: 'Docker' }).innerText();
  t.true(command.includes(`CONTROL_PLANE_URL=${replica.url}`) && command.includes('--name upquorum-rack-7'));
  const secret = /AGENT_SECRET=(upa_\w+)/.exec(command)?.[1] ?? '';
  await page.mouse.click(5, 5);
  t.true(await dialog.isVisible(), 'a click outside does not lose the secret');
  await dialog.getByRole('button', { name: 'Done' }).click();
  t.false((await page.content()).includes(secret));
  const agent = await connectFakeAgent(replica.url, secret);
  const row = page.getByRole('row', { name: /Rack 7/ });
  await row.getByText('Online', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Revoke Rack 7' }).click();
  await page.getByRole('button', { name: 'Revoke agent' }).click();
  t.is(await agent.closed, 4001);
  await until(() => row.count(), 0);
  t.deepEqual(faults, []);
});
