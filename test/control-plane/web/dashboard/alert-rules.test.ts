import test from 'ava';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { until } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { openDashboardWorld } from '#test/support/dashboard-world.ts';
import { useDatabase } from '#test/support/database.ts';
import { seedOperations } from '#test/support/operations.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test('an operator tries rules on stored results, sees alerts by cause, and acknowledges them together', async t => {
  const world = await openDashboardWorld(t, databaseOf());
  const { alert } = await seedOperations(databaseOf(), world);
  const { page, faults } = await openPage(t, `${world.url}/#/monitors/${world.ids.Shop}/edit`);
  await signIn(page, world.token);
  await page.getByLabel('Open after being down for (seconds)').fill('3600');
  await page.getByLabel('Alert when it is degraded').check();
  const backtest = page.getByRole('region', { name: 'Back-test' });
  await backtest.getByRole('button', { name: 'Try on stored results' }).click();
  await backtest.getByText('With these settings the last 7 days would have had 0 alerts instead of 1.').waitFor();
  await backtest.getByRole('cell', { name: 'gone' }).waitFor();
  await backtest.getByRole('img', { name: 'As it was: 1 alert' }).waitFor();
  await backtest.scrollIntoViewIfNeeded();
  await takeScreenshot(page, 'dashboard-backtest-desk-light', false);
  await page.getByLabel('Check interval (seconds)').fill('30');
  await backtest.locator('.answer').waitFor({ state: 'detached' });
  await backtest.getByRole('button', { name: 'Try on stored results' }).click();
  await backtest.getByText(/^Interval seconds: another interval/).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Shop', level: 1, exact: true }).waitFor();
  const { alert_rules } = (await world.api('GET', `/v0/monitors/${world.ids.Shop}`)).body;
  t.like(alert_rules, { confirm_seconds: 3600, degraded: { after_seconds: 300, severity: 'p3' } });

  await showView(page, `#/alerts/${alert}`);
  const together = page.locator('.card').filter({ hasText: 'Related failures' });
  await together.getByText('Same address 203.0.113.7: the connection was refused.').waitFor();
  t.is(await together.getByRole('link').count(), 2);
  await showView(page, '#/alerts');
  await page.getByLabel('Select Sign-in is down').check();
  await page
    .getByRole('region', { name: 'Selected alerts' })
    .getByRole('button', { name: /^Acknowledge/ })
    .click();
  const open = async () => (await world.api('GET', '/v0/alerts?state=open&held=false')).body.data.length as number;
  await until(open, count => count === 3);
  const cause = page.getByRole('region', { name: /^Same address/ });
  await cause.getByRole('button', { name: /^Acknowledge these 3/ }).click();
  await until(open, count => count === 0);
  await cause.getByText('3 alerts, 0 open').waitFor();

  await page.getByRole('link', { name: 'Notices' }).click();
  await page.getByRole('link', { name: 'Channel Alerts in chat is failing' }).waitFor();
  await page.getByLabel('State').selectOption('closed');
  await page.getByText('Region ap-south was silent').waitFor();
  await showView(page, '#/overview');
  await page.getByRole('region', { name: 'Open notices' }).waitFor();
  t.deepEqual(faults, []);
});
