import test from 'ava';
import { readSignInSettings } from '#control-plane/access/oidc/settings.ts';
import { EnvReader } from '#shared/env.ts';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { apiOf, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { startIdentityProvider } from '#test/support/identity-provider.ts';
import { tabTo } from '#test/support/keyboard.ts';
import { personOf, useSession } from '#test/support/people.ts';
import { addAuthenticator } from '#test/support/virtual-authenticator.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('a person changes their name, passkeys, accounts and tokens, and signs out elsewhere', async t => {
  const port = await fixedPort();
  const url = `http://localhost:${port}`;
  const provider = await startIdentityProvider();
  t.teardown(() => provider[Symbol.asyncDispose]());
  const env = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'up', OIDC_NAME: 'Acme' };
  const replica = await startReplica(databaseOf(), {
    port,
    publicUrl: url,
    signIn: readSignInSettings(new EnvReader(env), url),
  });
  t.teardown(() => replica.stop());
  const { projectId } = await createTenant(databaseOf());
  const ada = await personOf(t, databaseOf(), url, { name: 'Ada', project: projectId, role: 'viewer' });
  const { page, faults, context } = await openPage(t, `${url}/healthz`, { viewport: { width: 360, height: 740 } });
  await addAuthenticator(context, page);
  await useSession(context, url, ada);
  await page.goto(`${url}/#/me`);
  await page.getByRole('heading', { name: 'Me', exact: true }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Ada L.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor({ state: 'attached' });
  const passkeys = page.getByRole('list', { name: 'Passkeys' });
  const add = async (name: string) => {
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('What you call it').fill(name);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
  };
  await add('Laptop');
  await passkeys.getByText('Laptop').waitFor();
  await add('Phone');
  await page.getByText('This device already has a passkey of yours.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Rename Laptop' }).click();
  await page.getByLabel('What you call it').fill('Work laptop');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await passkeys.getByText('Work laptop').waitFor();
  await takeScreenshot(page, 'me-360');
  t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  // The provider asks for nothing, and sends the browser back.
  await page.route(`${provider.issuer}/authorize*`, route =>
    route.fulfill({
      status: 302,
      headers: { location: `${url}${provider.signIn(route.request().url(), { sub: projectId })}` },
    }),
  );
  await page.getByRole('button', { name: 'Link an account of Acme' }).click();
  const accounts = page.getByRole('list', { name: 'Accounts' });
  await accounts.getByText(provider.issuer).waitFor();
  await page.locator('.project-menu summary').click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are signed out.').waitFor();
  t.is(await page.getByRole('link', { name: /^sign out of/ }).count(), 0, 'the session came by a link');
  await page.getByRole('button', { name: 'Continue with Acme' }).click();
  await page.locator('.project-menu summary').click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  const elsewhere = page.getByRole('link', { name: 'sign out of Acme' });
  t.is(await elsewhere.getAttribute('href'), `${provider.issuer}/logout?x=1&client_id=up`);
  await page.getByRole('button', { name: 'Continue with Acme' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();

  await page.goto(`${url}/me/tokens?new=deploy&scopes=monitors:read,monitors:write`);
  await page.getByRole('dialog').waitFor();
  t.is(await page.getByRole('dialog').getByLabel('Name').inputValue(), 'deploy');
  await tabTo(t, page, 'Create token');
  await page.keyboard.press('Enter');
  const secret = await page.getByText(/^upq_/).innerText();
  const mine = (await apiOf(url, secret)('GET', '/v0/me')).body;
  t.like(mine, { type: 'person', token: { name: 'deploy', scopes: ['monitors:read'] } }, 'no more than the role');
  await tabTo(t, page, 'Done');
  await page.keyboard.press('Enter');
  const tokens = page.getByRole('list', { name: 'Personal tokens' });
  await tokens.getByText('deploy').waitFor();
  await tabTo(t, page, 'Revoke deploy');
  await page.keyboard.press('Enter');
  await tabTo(t, page, 'Revoke token');
  await page.keyboard.press('Enter');
  await tokens.getByText('deploy').waitFor({ state: 'detached' });
  t.is((await apiOf(url, secret)('GET', '/v0/me')).status, 401);

  await tabTo(t, page, /^Unlink /, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo(t, page, 'Unlink account');
  await page.keyboard.press('Enter');
  await accounts.getByText(provider.issuer).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete Work laptop' }).click();
  await page.getByRole('button', { name: 'Delete passkey' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  t.is(await page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count(), 1);
  const others = faults.filter(fault => !fault.includes(`${provider.issuer}/authorize`));
  t.deepEqual(others, []);
});
