import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { readSignInSettings } from '#control-plane/access/oidc/settings.ts';
import { EnvReader } from '#shared/env.ts';
import { admin } from '#test/support/admin.ts';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { accessibilityFaults, fits, loadAxe, looks } from '#test/support/looks.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { personOf, useSession } from '#test/support/people.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('signing in by email, and each state of an invitation or a link, fit and have no fault', async t => {
  t.timeout(600_000);
  await using world = await openWorld(t, 'email,passkey,token');
  const { url, owner, invite, mailed } = world;
  const [handed, byMail] = [await invite(null), await mailed('bob@example.com')];
  const link = await world.link('Bob Bobson');
  for (const { name, options } of looks) {
    await refill();
    const { page, context, faults } = await openPage(t, url, options);
    const look = async (state: string) => {
      await loadAxe(page);
      t.true(await fits(page), `${state} on ${name}`);
      await takeScreenshot(page, `join-${state}-${name}`);
      t.deepEqual(await accessibilityFaults(page), [], `${state} on ${name}`);
    };
    const press = (button: string) => page.getByRole('button', { name: button, exact: true }).click();
    const open = async (state: string, at: string, ready: string) => {
      await page.goto('about:blank');
      await page.goto(at);
      await page.getByText(ready).first().waitFor();
      await look(state);
    };

    await open('sign-in-by-email', url, 'Email me a link');
    await page.getByLabel('Email address').fill('not an address');
    await press('Email me a link');
    await page.locator('.fault').waitFor();
    await look('sign-in-by-email-fault');
    await page.getByLabel('Email address').fill('somebody@example.com');
    await press('Email me a link');
    await page.getByText('a link is on its way').waitFor();
    await look('sign-in-by-email-asked');

    await open('handed', handed, 'Email me a link');
    await page.getByLabel('Your email address').fill('x');
    await press('Email me a link');
    await page.locator('.fault').waitFor();
    await look('handed-fault');
    await page.route('**/auth/invitations/email', route => route.fulfill({ status: 202, json: {} }));
    await page.getByLabel('Your email address').fill('a-rather-long-address-of-somebody-new@mail.example.com');
    await press('Email me a link');
    await page.getByText('A link is on its way').waitFor();
    await look('handed-asked');
    await open('mailed', byMail, 'Join with bob@example.com');
    await press('Join with bob@example.com');
    await page.locator('.fault').waitFor();
    await look('mailed-fault');
    await open('used', `${url}/join#upi_x`, 'This link cannot be used');
    await open('sign-in-link', link, 'This link signs you in once');

    await pretend(page, ['email'], 'bob@example.com');
    await open('email-alone', byMail, 'Join with bob@example.com');
    await pretend(page, ['email'], null);
    await open('email-alone-handed', byMail, 'Email me a link');
    await pretend(page, ['oidc', 'passkey', 'email'], 'bob@example.com');
    await open('every-way', byMail, 'Join with Acme ID');
    await pretend(page, ['oidc'], null);
    await open('provider-alone', byMail, 'Join with Acme ID');
    await pretend(page, [], null);
    await open('no-way', byMail, 'Sign in first');
    await page.unroute('**/auth/invitations/look');
    await page.route('**/auth/invitations/look', route =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', json: unavailable }),
    );
    await open('unavailable', byMail, 'Your link');
    await page.unrouteAll();

    await useSession(context, url, owner);
    await open('signed-in', byMail, 'Join as Owner');
    await open('sign-in-link-signed-in', link, 'The session that this browser has now ends.');
    t.deepEqual(faults, []);
  }
});

test.serial('with email alone, who has a copied link joins by keyboard through their inbox', async t => {
  await using world = await openWorld(t, 'email');
  const { page, faults } = await openPage(t, await world.invite(null));
  await page.getByLabel('Your email address').fill('eve@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('A link is on its way to eve@example.com').waitFor();
  await page.goto('about:blank');
  await page.goto(await world.mailTo('eve@example.com'));
  await page.getByLabel('Your name').fill('Eve');
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  t.false(page.url().includes('upi_'), page.url());
  t.true(page.url().includes(world.projectId), page.url());
  await page.locator('.project-menu summary').click();
  await page.getByText('Eve').first().waitFor();
  t.deepEqual(faults, []);
});

const unavailable = {
  type: 'about:blank',
  title: 'Unavailable',
  status: 503,
  detail: 'The database does not answer.',
  code: 'unavailable',
};

/** Shows an invitation as of a server that offers these ways. */
async function pretend(page: Page, methods: string[], email: string | null): Promise<void> {
  await page.unrouteAll();
  const seen = { type: 'invitation', project: 'Rockets', role: 'editor', invited_by: 'Owner', methods, email };
  await page.route('**/auth/invitations/look', route => route.fulfill({ json: seen }));
  await page.route('**/dashboard/session', route =>
    route.fulfill({ json: { signed_in: false, methods, oidc_name: 'Acme ID' } }),
  );
}

/** Takes back what the address of all these pages has used of its rate of sign-ins. */
function refill(): Promise<unknown> {
  return withSql(databaseOf(), sql => sql.run`delete from rate_buckets`);
}

async function openWorld(t: ExecutionContext, methods: string) {
  await refill();
  const mailbox = await startMailbox();
  const port = await fixedPort();
  const url = `http://localhost:${port}`;
  const signIn = readSignInSettings(new EnvReader({ SIGN_IN_METHODS: methods, SMTP_URL: mailbox.url }), url);
  const replica = await startReplica(databaseOf(), { port, publicUrl: url, smtpUrl: mailbox.url, signIn });
  const { projectId } = await createTenant(databaseOf());
  const owner = await personOf(t, databaseOf(), url, { name: 'Owner', project: projectId });
  const here = (link: string) => `${url}/join#${link.split('#')[1]}`;
  const invite = async (email: string | null): Promise<string> => {
    const { status, body } = await owner.call(projectId, 'POST', '/v0/invitations', { role: 'editor', email });
    t.is(status, 201, JSON.stringify(body));
    return here(body.url);
  };
  /** The link in the email to an address. */
  const mailTo = async (address: string): Promise<string> => {
    const emails = await until(
      () => mailbox.to(address),
      found => found.length > 0,
    );
    return /http\S+#upi_\w+/.exec(emails[0]?.text ?? '')?.[0] ?? '';
  };
  return {
    url,
    projectId,
    owner,
    invite,
    mailTo,
    mailed: async (address: string) => {
      await invite(address);
      return mailTo(address);
    },
    link: async (name: string) =>
      here(((await admin(databaseOf(), ['person', 'create', '--name', name])) as { url: string }).url),
    [Symbol.asyncDispose]: async () => {
      await replica.stop();
      await mailbox[Symbol.asyncDispose]();
    },
  };
}
