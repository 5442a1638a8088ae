import test from 'ava';
import type { Page } from 'playwright-core';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { apiOf, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { showView } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { accessibilityFaults, fits, loadAxe, looks } from '#test/support/looks.ts';
import { personOf, useSession } from '#test/support/people.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test('ways in of people and visitors fit a phone, a desk and a wall, and have no accessibility fault', async t => {
  t.timeout(300_000);
  const port = await fixedPort();
  const url = `http://localhost:${port}`;
  const replica = await startReplica(databaseOf(), { port, publicUrl: url });
  t.teardown(() => replica.stop());
  const { token, projectId } = await createTenant(databaseOf());
  const api = apiOf(url, token);
  const accesses = {
    password: { type: 'password', password: 'correct horse' },
    members: { type: 'members' },
    ip: { type: 'ip', ranges: ['192.0.2.1'] },
    link: { type: 'link' },
  };
  const ids: Record<string, string> = {};
  for (const [slug, access] of Object.entries(accesses))
    ids[slug] = (await api('POST', '/v0/status-pages', { name: slug, slug, access })).body.id;
  const isServed = async (slug: string) =>
    (await fetch(`${url}/status/${slug}`, { redirect: 'manual' })).status !== 404;
  // A page with a link is not found without it.
  for (const slug of ['password', 'members', 'ip']) await until(() => isServed(slug), true);
  const owner = await personOf(t, databaseOf(), url, { name: 'Owner', project: projectId });
  const stranger = await personOf(t, databaseOf(), url, { name: 'Stranger' });
  const { url: invitation } = (await owner.call(projectId, 'POST', '/v0/invitations', { role: 'viewer' })).body;

  for (const { name, options } of looks) {
    const { page, context, faults } = await openPage(t, url, options);
    const look = async (view: string, loads = true) => {
      if (loads) await loadAxe(page);
      t.true(await fits(page), `${view} on ${name}`);
      await takeScreenshot(page, `access-${view}-${name}`);
      t.deepEqual(await accessibilityFaults(page), [], `${view} on ${name}`);
    };
    const open = async (path: string, heading: string | RegExp) => {
      await page.goto(new URL(path, url).href);
      await page.getByRole('heading', { name: heading }).waitFor();
    };

    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await look('sign-in');
    await page.goto(`${url}/?sign_in_error=not_admitted`);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await look('sign-in-refused');
    await open(invitation, /./);
    await page.getByLabel('Your name').waitFor();
    await look('invitation');
    await page.goto('about:blank');
    await open('/join#upi_x', 'This link cannot be used');
    await look('used-link');

    await open('/status/password', 'This page needs a password');
    await look('password');
    await page.getByLabel('Password').fill('not this one');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'That is not the password' }).waitFor();
    await look('wrong-password');
    await open('/status/ip', 'This page is not open to your network');
    await look('address');
    await open('/status/members', 'This page is for members');
    await look('for-members');
    await tabTo(page, 'Sign in');
    await page.keyboard.press('Enter');
    await page.getByText('The status page is for members of its project.').waitFor();
    await look('enter-page');
    await useSession(context, url, stranger);
    await page.reload();
    await page.getByRole('heading', { name: 'This page is not for you' }).waitFor();
    await look('not-a-member');
    await useSession(context, url, owner);
    await page.reload();
    await page.waitForURL(`${url}/status/members`);
    await page.locator('footer').waitFor();
    t.is(await page.getByText('This page is for members').count(), 0);

    await page.goto(`${url}/p/${projectId}`);
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await loadAxe(page);
    for (const slug of Object.keys(accesses)) {
      await showView(page, `#/status-pages/${ids[slug]}?tab=access`);
      await page.getByLabel('Visitors').waitFor();
      await look(`tab-${slug}`, false);
    }
    for (const view of ['#/settings/members', '#/me']) {
      await showView(page, view);
      await look(view.replace(/\W+/g, '-'), false);
    }
    t.deepEqual(faults, []);
  }
});

test('who may see a page is chosen and saved by keyboard; the password stays in no storage of the browser', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { token, projectId } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const { id } = (await api('POST', '/v0/status-pages', { name: 'Acme', slug: 'by-keys' })).body;
  const owner = await personOf(t, databaseOf(), replica.url, { name: 'Owner', project: projectId });
  const { page, context, faults } = await openPage(t, `${replica.url}/docs`);
  await useSession(context, replica.url, owner);
  await page.goto(`${replica.url}/p/${projectId}#/status-pages/${id}?tab=access`);
  const visitors = page.getByLabel('Visitors');
  // A choice by its first letters has to be typed within a second.
  const choose = async () => {
    await visitors.focus();
    await page.keyboard.type('Whoever knows');
    return visitors.inputValue();
  };
  await until(choose, 'password');
  await page.getByLabel('Password').fill('correct horse');
  const stored = () => page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])');
  t.regex(await stored(), /password/, 'the choice is');
  t.notRegex(await stored(), /correct horse/);
  await page.keyboard.press('Enter');
  await page.getByText('Saved. It counts within seconds.').waitFor();
  t.is((await api('GET', `/v0/status-pages/${id}`)).body.access.password, '********');
  t.deepEqual(faults, []);
});

/** Moves the focus by the keyboard to a link. */
async function tabTo(page: Page, link: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement.textContent')) === link) return;
  }
  throw new Error(`no link ${link} by keyboard`);
}
