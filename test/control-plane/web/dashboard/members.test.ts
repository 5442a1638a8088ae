import test from 'ava';
import { admin } from '#test/support/admin.ts';
import { useBrowser } from '#test/support/browser.ts';
import { createTenant, startReplica } from '#test/support/control-plane.ts';
import { signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { tabTo } from '#test/support/keyboard.ts';
import { personOf } from '#test/support/people.ts';
import { addAuthenticator } from '#test/support/virtual-authenticator.ts';

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
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
  await page.goto(invited.body.url);
  await page.getByLabel('Your name').fill('Eve');
  await page.getByRole('button', { name: 'Join with a passkey' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  t.false(page.url().includes('upi_'));
  await page.locator('.project-menu summary').click();
  await page.getByText('Eve').first().waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  t.deepEqual(faults, []);
});

test.serial('while nobody is a member, who has a token that may do everything signs in as themselves', async t => {
  const port = await fixedPort();
  const url = `http://localhost:${port}`;
  const replica = await startReplica(databaseOf(), { port, publicUrl: url });
  t.teardown(() => replica.stop());
  const { token } = await createTenant(databaseOf());
  const { page, faults, context } = await openPage(t, `${url}/`);
  await addAuthenticator(context, page);
  await signIn(page, token);
  await page.getByRole('link', { name: 'Sign in as yourself' }).click();
  await page.getByRole('button', { name: 'Sign in as yourself' }).click();
  t.is(await page.getByRole('link', { name: 'Sign in as yourself' }).count(), 0);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Join with a passkey' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.goto(`${page.url().split('#')[0]}#/settings/members`);
  await page.getByRole('list', { name: 'Members', exact: true }).getByText('admin').waitFor();
  t.is(await page.getByRole('button', { name: 'Sign in as yourself' }).count(), 0);
  t.deepEqual(faults, []);
});

test.serial('an admin invites, changes a role and removes somebody with the keyboard alone', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { projectId } = await createTenant(databaseOf());
  const create = (name: string) =>
    admin(databaseOf(), ['person', 'create', '--name', name, '--project', projectId, '--role', 'admin'], {
      publicUrl: replica.url,
    }) as Promise<{ url: string }>;
  await create('Bob');
  const { page, faults } = await openPage(t, (await create('Ada')).url);
  await page.getByRole('button', { name: 'Sign in as Ada' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.goto(`${page.url().split('#')[0]}#/settings/members`);
  const press = async (name: string | RegExp, key = 'Enter'): Promise<void> => {
    await tabTo(t, page, name);
    await page.keyboard.press(key);
  };
  await page.getByRole('button', { name: 'Invite', exact: true }).waitFor();
  await press('Invite');
  await press(/^Address/, 'e');
  await page.keyboard.type('ve@example.com');
  await press('Make link');
  await page.getByText('/join#upi_').first().waitFor();
  await press('Done');
  await page.getByRole('list', { name: 'Open invitations' }).getByText('eve@example.com').waitFor();
  await press('Change the role of Bob');
  await press(/^Role/, 'v');
  await press('Change role');
  const members = page.getByRole('list', { name: 'Members', exact: true });
  await members.getByText('viewer').waitFor();
  await press('Remove Bob');
  await press('Remove');
  await members.getByText('Bob').waitFor({ state: 'detached' });
  t.is(await members.getByRole('listitem').count(), 1);
  t.deepEqual(faults, []);
});
