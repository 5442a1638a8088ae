import { readFile } from 'node:fs/promises';
import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { apiOf, until } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('an operator changes the project, and what is wrong is said at its field', async t => {
  const world = await openEventWorld(t, databaseOf());
  const { page, faults } = await openPage(t, `${world.replica.url}/#/settings`);
  await signIn(page, world.token);
  await page.getByLabel('Name', { exact: true }).fill('Shop');
  await page.getByLabel('Allowed origins').fill('https://shop.example/path');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/origin such as/i).waitFor();
  await page.getByLabel('Allowed origins').fill('https://shop.example\nhttps://m.shop.example');
  await page.getByLabel('An agent is silent after, seconds').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor({ state: 'attached' });
  t.like((await world.api('GET', '/v0/project')).body, {
    name: 'Shop',
    allowed_origins: ['https://shop.example', 'https://m.shop.example'],
    notices: { region_silent_after_seconds: 300, agent_silent_after_seconds: null },
  });
  await showView(page, '#/settings/limits');
  await page.getByText('When a limit is reached').waitFor();
  await page.getByText('1 of 100').first().waitFor();
  t.deepEqual(faults, []);
});

test.serial('a token is made with a preset, copied once, rotated and revoked, and the audit says so', async t => {
  const world = await openEventWorld(t, databaseOf());
  const { page, faults } = await openPage(t, `${world.replica.url}/#/settings/tokens`);
  await signIn(page, world.token);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Pipeline');
  await page.getByRole('button', { name: 'Deploys' }).click();
  t.is(await page.getByLabel('Releases').inputValue(), 'write');
  await page.getByLabel('Monitors').selectOption('read');
  await page.getByRole('button', { name: 'Create token' }).dblclick();
  const secret = await page.getByRole('group', { name: 'Secret of the token' }).innerText();
  t.regex(secret, /^upq_/);
  const pipeline = apiOf(world.replica.url, secret);
  t.is((await pipeline('POST', '/v0/releases', { version: '1' })).status, 201);
  t.is((await pipeline('GET', '/v0/monitors')).status, 200);
  t.is((await pipeline('GET', '/v0/incidents')).status, 403);
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Pipeline' });
  t.is(await row.count(), 1);
  t.is(await page.getByText(secret).count(), 0);

  await row.getByRole('button', { name: 'Rotate Pipeline' }).click();
  await page.getByRole('button', { name: 'Create the new token' }).click();
  const next = await page.getByRole('group', { name: 'Secret of the token' }).innerText();
  t.not(next, secret);
  await page.getByRole('button', { name: 'Revoke the old token' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.is((await apiOf(world.replica.url, next)('GET', '/v0/monitors')).status, 200);
  const tokens = (await world.api('GET', '/v0/tokens')).body.data.filter(
    ({ name }: { name: string }) => name === 'Pipeline',
  );
  t.is(tokens.length, 2);
  t.deepEqual(tokens[0].scopes, tokens[1].scopes);
  t.truthy(tokens[1].revoked_at);
  // The list is read again after the dialog has closed: until then both are there.
  await until(
    () => row.count(),
    count => count === 1,
  );
  await row.getByRole('button', { name: 'Revoke Pipeline' }).click();
  await page.getByRole('button', { name: 'Revoke token' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByLabel('Show revoked and expired').check();
  await row.first().getByText('Revoked').waitFor();

  await showView(page, '#/settings/audit');
  await page.getByLabel('Resource').selectOption('token');
  const revocations = page.getByRole('listitem').filter({ hasText: 'Token revoked' });
  await revocations.first().waitFor();
  await page.getByLabel('Action').selectOption('token.created');
  await revocations.first().waitFor({ state: 'detached' });
  const entries = page.getByRole('listitem').filter({ hasText: 'Pipeline' });
  await entries.first().waitFor();
  t.is(await entries.count(), 2);
  const today = new Date().toISOString().slice(0, 10);
  await page.getByLabel('From').fill(today);
  await page.getByLabel('To', { exact: true }).fill(today);
  await entries.first().waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download NDJSON' }).click();
  const file = await downloading;
  t.is(file.suggestedFilename(), 'audit.ndjson');
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
  const actions = lines.map(line => JSON.parse(line).action);
  t.deepEqual([...new Set(actions)], ['token.created']);
  t.false(lines.join('').includes(secret));
  await page.getByLabel('To', { exact: true }).fill('2026-01-01');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('From').fill('2026-01-01');
  await page.getByText('No entries match.').waitFor();
  t.deepEqual(faults, []);
});
