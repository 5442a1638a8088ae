import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { parseRange } from '#shared/network/guard.ts';
import { admin } from '#test/support/admin.ts';
import { useBrowser } from '#test/support/browser.ts';
import { createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { personOf } from '#test/support/people.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);
const proxies = parseRange('127.0.0.0/8');

test.serial('a link signs a person in by a click, and each tab has its project until the person leaves it', async t => {
  const world = await openWorld(t);
  const { projectId } = world.first;
  const made = await world.link(['--name', 'Ada', '--project', projectId, '--role', 'viewer']);
  await admin(databaseOf(), [
    ...['member', 'add', '--project', world.second.projectId, '--person', made.id, '--role', 'admin'],
  ]);
  const { page, faults, context } = await openPage(t, made.url, { viewport: { width: 360, height: 740 } });
  const sent: string[] = [];
  context.on('request', request => sent.push(request.url()));
  await page.getByRole('heading', { name: 'Sign in as Ada' }).waitFor();
  t.true(await isWithinScreen(page));
  await page.getByRole('button', { name: 'Sign in as Ada' }).press('Enter');
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  t.true(page.url().includes('/p/proj_'), page.url());
  t.false(page.url().includes('upi_'));
  t.deepEqual(
    sent.filter(url => url.includes('upi_')),
    [],
  );
  await page.goto(`${world.url}/p/${projectId}#/monitors`);
  await page.getByRole('heading', { name: 'Monitors', exact: true }).waitFor();
  t.is(await page.getByRole('link', { name: 'New monitor' }).count(), 0, 'a viewer writes nothing');
  await page.locator('.project-menu summary').press('Enter');
  await page.getByText('Signed in as').waitFor();
  t.true(await isWithinScreen(page));
  const links = page.getByRole('navigation', { name: 'Projects' }).getByRole('link');
  await links.nth(1).waitFor();
  t.is(await links.count(), 2);
  // Another tab keeps its own project; the address of before opens in the last one.
  const other = await context.newPage();
  await other.goto(`${world.url}/p/${world.second.projectId}#/monitors`);
  await other.getByRole('link', { name: 'New monitor' }).first().waitFor();
  const refused: string[] = [];
  page.on('response', response => response.status() >= 400 && refused.push(response.url()));
  await page.reload();
  await page.getByRole('heading', { name: 'Monitors', exact: true }).waitFor();
  t.true(page.url().includes(projectId));
  t.deepEqual(refused, []);
  await admin(databaseOf(), ['member', 'remove', '--project', projectId, '--person', made.id]);
  await page.getByRole('heading', { name: /You are no longer a member of / }).waitFor();
  await page.getByRole('navigation', { name: 'Projects' }).getByRole('link').click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  t.true(page.url().includes(world.second.projectId));
  await page.locator('.project-menu summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await page.goto(`${world.url}/join#${made.url.split('#')[1]}`);
  await page.getByRole('heading', { name: 'This link cannot be used' }).waitFor();
  t.deepEqual(faults, []);
});

test.serial('an invitation is shown, and joins only whom a click says and who is signed in', async t => {
  const world = await openWorld(t);
  const owner = await personOf(t, databaseOf(), world.url, { name: 'Owner', project: world.first.projectId });
  const invited = await owner.call(world.first.projectId, 'POST', '/v0/invitations', { role: 'editor' });
  const invitation = `${world.url}/join#${invited.body.url.split('#')[1]}`;
  const bob = await world.link(['--name', 'Bob']);
  const { page, faults } = await openPage(t, invitation);
  await page.getByText('Owner invites you').waitFor();
  await page.getByRole('button', { name: 'Join with a passkey' }).waitFor();
  t.is(await page.getByRole('button').count(), 1);
  // The same page, another fragment.
  await page.evaluate(`location.hash = ${JSON.stringify(bob.url.split('#')[1])}`);
  await page.getByRole('button', { name: 'Sign in as Bob' }).click();
  await page.getByRole('heading', { name: 'You are in no project' }).waitFor();
  await page.goto(invitation);
  await page.getByRole('button', { name: 'Join as Bob' }).dblclick();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  t.true(page.url().includes(`/p/${world.first.projectId}`), page.url());
  await page.goto(`${world.url}/join`);
  await page.getByRole('heading', { name: 'This link cannot be used' }).waitFor();
  t.deepEqual(faults, []);
});

async function openWorld(t: ExecutionContext) {
  const replica = await startReplica(databaseOf(), { trustedProxies: proxies === null ? [] : [proxies] });
  t.teardown(() => replica.stop());
  const [first, second] = [await createTenant(databaseOf()), await createTenant(databaseOf())];
  const link = async (options: readonly string[]): Promise<{ id: string; url: string }> => {
    const made = (await admin(databaseOf(), ['person', 'create', ...options])) as { id: string; url: string };
    // The command prints the public address, which is not the test's.
    return { id: made.id, url: `${replica.url}/join#${made.url.split('#')[1]}` };
  };
  return { url: replica.url, first, second, link };
}

/** Whether nothing is wider than the screen. */
function isWithinScreen(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= innerWidth');
}
