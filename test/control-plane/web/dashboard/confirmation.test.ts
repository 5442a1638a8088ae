import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { readSignInSettings } from '#control-plane/access/oidc/settings.ts';
import { EnvReader } from '#shared/env.ts';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { apiOf, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { startIdentityProvider } from '#test/support/identity-provider.ts';
import { personOf, type SignedIn, useSession } from '#test/support/people.ts';
import { addAuthenticator } from '#test/support/virtual-authenticator.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('a passkey confirms over the form, which is sent by itself; who cancels keeps what was typed', async t => {
  const world = await openWorld(t);
  const owner = await world.person('Owner');
  const invited = await owner.call(world.projectId, 'POST', '/v0/invitations', { role: 'admin' });
  const { page, faults, context } = await openPage(t, `${world.url}/`, { viewport: { width: 360, height: 740 } });
  await addAuthenticator(context, page);
  await page.goto(invited.body.url);
  await page.getByLabel('Your name').fill('Eve');
  await page.getByRole('button', { name: 'Join with a passkey' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  world.advance(11);
  await fillInvitation(page);
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.waitFor();
  await takeScreenshot(page, 'confirm-360', false);
  t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Confirm that it is you, then send this again').waitFor();
  t.is(await page.getByLabel('Address (optional)').inputValue(), 'bob@example.com');
  await page.getByRole('button', { name: 'Make link' }).click();
  await dialog.getByRole('button', { name: 'Use a passkey' }).press('Enter');
  await page.getByText('/join#upi_').first().waitFor();
  t.is(await dialog.count(), 0);
  t.deepEqual(faults, []);
});

test.serial('an account confirms in a window of its own, and says so if it is somebody else’s', async t => {
  const world = await openWorld(t);
  const ada = await world.person('Ada');
  const claims = { sub: 'ada', name: 'Ada' };
  await world.link(ada, claims);
  const { page, faults, context } = await openPage(t, `${world.url}/healthz`);
  await useSession(context, world.url, ada);
  let subject = 'else';
  await context.route(`${world.provider.issuer}/authorize**`, route => {
    const auth_time = Math.floor(Date.now() / 1000);
    const location = world.provider.signIn(route.request().url(), { ...claims, sub: subject, auth_time });
    return route.fulfill({ status: 302, headers: { location: `${world.url}${location}` } });
  });
  await page.goto(`${world.url}/`);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  world.advance(11);
  await fillInvitation(page);
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  const confirm = dialog.getByRole('button', { name: 'Continue with 127.0.0.1' });
  const [wrong] = await Promise.all([context.waitForEvent('page'), confirm.click()]);
  await wrong.getByText('That account is not yours').waitFor();
  await dialog.getByText('That account is not yours').waitFor();
  await takeScreenshot(page, 'confirm-wrong-account', false);
  await wrong.close();
  subject = 'ada';
  await confirm.click();
  await page.getByText('/join#upi_').first().waitFor();
  t.deepEqual(faults, []);
});

test.serial('who has no way to confirm reads what to do', async t => {
  const world = await openWorld(t);
  const ada = await world.person('Ada');
  const { page, context } = await openPage(t, `${world.url}/healthz`);
  await useSession(context, world.url, ada);
  await page.goto(`${world.url}/`);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  world.advance(11);
  await fillInvitation(page);
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByText('neither a passkey nor an account').waitFor();
  await takeScreenshot(page, 'confirm-no-way', false);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.pass();
});

async function openWorld(t: ExecutionContext) {
  const provider = await startIdentityProvider();
  t.teardown(() => provider[Symbol.asyncDispose]());
  const port = await fixedPort();
  const url = `http://localhost:${port}`;
  const env = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'up', OIDC_NAME: '127.0.0.1' };
  const signIn = readSignInSettings(new EnvReader(env), url);
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs };
  const replica = await startReplica(databaseOf(), { port, publicUrl: url, signIn }, clock);
  t.teardown(() => replica.stop());
  const { projectId } = await createTenant(databaseOf());
  return {
    url,
    provider,
    projectId,
    person: (name: string) => personOf(t, databaseOf(), url, { name, project: projectId }),
    advance: (minutes: number) => {
      aheadMs += minutes * 60_000;
    },
    /** Adds an account of the provider to somebody. */
    link: async ({ headers }: SignedIn, claims: Record<string, unknown>) => {
      const started = await apiOf(url, '')('POST', '/auth/oidc/start', { purpose: 'link' }, headers);
      const cookie = [started.headers['set-cookie'] ?? []]
        .flat()
        .map(text => text.split(';')[0])
        .join('; ');
      const back = await fetch(`${url}${provider.signIn(started.body.url, claims)}`, {
        redirect: 'manual',
        headers: { cookie },
      });
      t.is(back.headers.get('location'), '/');
    },
  };
}

async function fillInvitation(page: Page): Promise<void> {
  await page.goto(`${page.url().split('#')[0]}#/settings/members`);
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByLabel('Address (optional)').fill('bob@example.com');
  await page.getByRole('button', { name: 'Make link' }).click();
}
