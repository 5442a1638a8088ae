import test from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import { useBrowser } from '#test/support/browser.ts';
import { createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { personOf } from '#test/support/people.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('somebody new joins by a passkey, and signs in with it again', async t => {
  const port = await fixedPort();
  const url = `http://localhost:${port}`;
  const replica = await startReplica(databaseOf(), { port, publicUrl: url });
  t.teardown(() => replica.stop());
  const { projectId } = await createTenant(databaseOf());
  const owner = await personOf(t, databaseOf(), replica.url, { name: 'Owner', project: projectId });
  const invited = await owner.call(projectId, 'POST', '/v0/invitations', { role: 'editor' });
  const { page, faults, context } = await openPage(t, `${url}/`);
  await addAuthenticator(context, page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await page.goto(invited.body.url);
  await page.getByLabel('Your name').fill('Eve');
  await page.getByRole('button', { name: 'Join with a passkey' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  t.false(page.url().includes('upi_'));
  await page.locator('.project-menu summary').click();
  await page.getByText('Eve').first().waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  t.deepEqual(faults, []);
});

/** A device that has passkeys and finds its owner present. */
async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
