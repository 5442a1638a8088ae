import test from 'ava';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { until } from '#test/support/control-plane.ts';
import { pressFourTimesQuickly, showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { answer, startTarget } from '#test/support/target.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('an operator tests a channel before saving it, and its secrets are kept and never shown', async t => {
  await using target = await startTarget(answer(200, '{}'));
  const world = await openMonitorWorld(t, databaseOf());
  const { page, faults } = await openPage(t, `${world.url}/#/channels`);
  await signIn(page, world.token);
  await page.getByRole('link', { name: 'Create the first channel' }).click();
  await page.getByRole('button', { name: /^HTTP request/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Own endpoint');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.locator('.fault').first().waitFor();
  await page.getByLabel('URL').fill(`${target.url}hook/secret-url`);
  await page.getByLabel('Headers').fill('Authorization: Bearer secret-header');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText(/^The test was sent\./).waitFor();
  t.is(target.requests.at(-1)?.headers.authorization, 'Bearer secret-header');
  t.false(String(await page.evaluate('JSON.stringify({ ...sessionStorage })')).includes('secret-'));
  await page.getByRole('button', { name: 'Create channel' }).dblclick();
  await page.getByRole('heading', { name: 'Own endpoint', level: 1 }).waitFor();
  t.is((await world.api('GET', '/v0/channels')).body.data.length, 1);

  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Replace URL, which is set' }).waitFor();
  await page.getByLabel('Body').fill('{"changed": {{title|json}}}');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText(/^The test was sent\./).waitFor();
  t.true(target.requests.at(-1)?.body.startsWith('{"changed"'));
  t.is(target.requests.at(-1)?.headers.authorization, 'Bearer secret-header', 'kept secrets are tested as well');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Own endpoint', level: 1, exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText(/^The test was sent\./).waitFor();
  t.false((await page.content()).includes('secret-'));
  t.deepEqual(faults, []);
});

test.serial('an operator routes alerts, orders routes by keyboard, and sees who would be notified', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await world.post({ name: 'Shop', labels: { env: 'prod' } });
  const channel = (name: string) =>
    world.api('POST', '/v0/channels', { type: 'teams', name, config: { url: 'https://example.com/x' } });
  await channel('Chat');
  await channel('Pager');
  const { page, faults } = await openPage(t, `${world.url}/#/channels`);
  await signIn(page, world.token);
  await page.getByRole('link', { name: 'Create the first route' }).click();
  await page.getByLabel('Name').fill('Production');
  await page.getByRole('button', { name: 'Create route' }).click();
  await page.locator('.fault').first().waitFor();
  await page.getByLabel('Of monitors with these labels').fill('env=prod');
  await page.getByText('Matches 1 monitor now: Shop').waitFor();
  await page.getByRole('group', { name: 'Channels', exact: true }).getByLabel('Chat').check();
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByRole('group', { name: 'Channels of step 2' }).getByLabel('Pager').check();
  await page.getByLabel('Hold messages in quiet hours').check();
  await page.getByText(/^Quiet every day 22:00–07:00/).waitFor();
  await page.getByLabel('Hold messages in quiet hours').uncheck();
  await page.getByRole('button', { name: 'Create route' }).click();
  await page.getByRole('link', { name: 'Production' }).waitFor();
  const chat = (await world.api('GET', '/v0/channels')).body.data.find(
    (each: { name: string }) => each.name === 'Chat',
  );
  const steps = [{ after_minutes: 0, channel_ids: [chat.id] }];
  await world.api('POST', '/v0/routes', { name: 'Everything else', steps });

  await page.getByLabel('Monitor', { exact: true }).fill('Shop');
  const answered = page.locator('.foreseen');
  await answered.getByText('after 15 min').waitFor();
  await answered.getByText('Pager').waitFor();
  await takeScreenshot(page, 'dashboard-foresee-desk-light');
  await page.getByLabel('Monitor', { exact: true }).fill('');
  await page.getByLabel('Or labels').fill('env=test');
  await answered.getByRole('heading', { name: 'Everything else' }).waitFor();

  const handle = page.getByRole('button', { name: /^Move Everything else/ });
  await handle.focus();
  await page.keyboard.press('ArrowUp');
  const names = async () =>
    (await world.api('GET', '/v0/routes')).body.data.map((route: { name: string }) => route.name).join();
  await until(names, order => order === 'Everything else,Production');
  await page.keyboard.press('ArrowDown');
  await until(names, order => order === 'Production,Everything else');
  await page.keyboard.press('ArrowUp');
  await until(names, order => order === 'Everything else,Production');

  await page.getByRole('button', { name: /^Move Production/ }).dragTo(handle);
  await until(names, order => order === 'Production,Everything else');

  for (const name of ['Third', 'Fourth', 'Fifth']) await world.api('POST', '/v0/routes', { name, steps });
  await page.getByRole('button', { name: /^Move Fifth/ }).focus();
  await pressFourTimesQuickly(page, 'ArrowUp');
  await until(names, order => order === 'Fifth,Production,Everything else,Third,Fourth');
  t.regex(String(await page.evaluate('document.activeElement.getAttribute("aria-label")')), /^Move Fifth/);
  for (const name of ['Third', 'Fourth', 'Fifth']) {
    const { data } = (await world.api('GET', '/v0/routes')).body;
    await world.api('DELETE', `/v0/routes/${data.find((route: { name: string }) => route.name === name).id}`);
  }

  await showView(page, `#/channels/${chat.id}`);
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Chat is in use' });
  await dialog.getByRole('link', { name: 'Production' }).click();
  await page.getByRole('heading', { name: 'Route Production' }).waitFor();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete route' }).click();
  await page.getByRole('link', { name: 'Production' }).waitFor({ state: 'detached' });
  await until(names, 'Everything else');
  t.deepEqual(faults, []);
});

test.serial('an operator connects Slack, and sees the secret of a webhook once', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await world.api('POST', '/v0/channels', {
    type: 'email',
    name: 'Operators',
    config: { to: ['ada@example.com', 'ops@example.com'] },
  });
  const { page, faults } = await openPage(t, `${world.url}/#/channels`);
  await signIn(page, world.token);
  await page.getByText('Waiting for 2 addresses to confirm').waitFor();
  await page.getByRole('button', { name: 'Connect…' }).click();
  await page.getByLabel('Bot token').fill('xoxb-secret-token');
  await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click();
  await page.getByText('Connected', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'New webhook…' }).click();
  await page.getByLabel('URL').fill('https://example.com/hook');
  await page.getByRole('group', { name: 'Events' }).getByLabel('notice.opened').check();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page
    .getByRole('group')
    .getByText(/^whsec_/)
    .waitFor();
  await page.getByRole('button', { name: 'I’ve saved it' }).click();
  await page.getByRole('button', { name: 'https://example.com/hook' }).waitFor();
  const [webhook] = (await world.api('GET', '/v0/webhooks')).body.data;
  t.true(webhook.kinds.includes('notice.opened'));
  await page.getByRole('link', { name: 'Operators' }).click();
  await page
    .getByText(/ada@example\.com, ops@example\.com|ops@example\.com, ada@example\.com/)
    .first()
    .waitFor();
  t.false((await page.content()).includes('whsec_'));
  t.deepEqual(faults, []);
});
