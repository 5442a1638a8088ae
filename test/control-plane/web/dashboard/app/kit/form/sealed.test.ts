import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { refusal } from '../../page/server.ts';
import { sampleMonitor } from '../../samples.ts';

const auth = { type: 'basic', username: 'probe', password: '********' } as const;
const egress = {
  ...({ ip_family: 'any', addresses: 'first', verify: true } as const),
  ...{ server_name: null, ca: null, client_certificate: null },
  proxy: { url: 'http://p.example:80', username: 'a', password: '********' },
} as const;
const monitor = sampleMonitor({ auth, egress });
const answers = { 'GET /v0/monitors/{id}': monitor, 'PATCH /v0/monitors/{id}': monitor };
const sent = 'PATCH /v0/monitors/{id}';

test('a stored secret is said to be set, and no field holds it', async t => {
  const page = await openPage(t, '#/monitors/mon_1/edit', { answers });
  t.false(page.fields().includes('Password'));
  t.deepEqual(
    page.all('input, textarea').filter(field => (field as HTMLInputElement).value.includes('****')),
    [],
  );
  t.deepEqual(
    page.buttons().filter(name => name.startsWith('Replace')),
    ['Replace Password, which is set', 'Replace Password at the proxy (optional), which is set'],
  );
  await page.type('Name', 'Other');
  await page.press('Save');
  t.deepEqual(page.server.sentTo(sent).at(-1)?.body, { name: 'Other' });
});

test('another secret is typed into an empty field, which has the focus, or the present one is kept', async t => {
  const page = await openPage(t, '#/monitors/mon_1/edit', { answers });
  await page.press('Replace Password, which is set');
  t.is(page.value('Password'), '');
  t.is(page.focused(), 'Password');
  await page.type('Password', 'half');
  t.false(JSON.stringify({ ...page.window.sessionStorage }).includes('half'));
  await page.press('Keep the present one: Password');
  t.is(page.focused(), 'Replace Password, which is set');
  await page.press('Replace Password, which is set');
  page.server.change({ [sent]: refusal({ 'auth/password': 'is too short' }) });
  await page.type('Password', 'successor');
  await page.press('Save');
  t.is(page.faultAt('Password'), 'Is too short.');
  t.deepEqual(page.server.sentTo(sent).at(-1)?.body, { auth: { ...auth, password: 'successor' } });
});

test('the secret of one way to sign in is none of another', async t => {
  const page = await openPage(t, '#/monitors/mon_1/edit', { answers });
  await page.choose('Type', 'Bearer token');
  t.is(page.value('Token'), '');
  await page.press('Save');
  t.deepEqual(page.server.sentTo(sent).at(-1)?.body, { auth: { type: 'bearer', token: '' } });
});

test('a copy of a monitor has none of its secrets', async t => {
  const page = await openPage(t, '#/monitors/new?from=mon_1', { answers });
  t.is(page.value('Password'), '');
  t.deepEqual(
    page.buttons().filter(name => /^(Replace|Keep)/.test(name)),
    [],
  );
});
