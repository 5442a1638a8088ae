import test from 'ava';
import type { Secret } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { openPage } from '../../page/open-page.ts';
import { list, problem } from '../../page/server.ts';

const sample: Secret = {
  ...{ id: 'sec_1', project_id: 'proj_1', key: 'API_KEY', managed_by: null, name: 'API_KEY', value: '********' },
  ...{ description: 'of the shop', hosts: ['api.example.com'], version: 1, used_by_count: 2, used_by: [] },
  ...{ rotated_at: '2026-11-20T10:00:00.000Z', created_at: '2026-11-20T10:00:00.000Z' },
  updated_at: '2026-11-20T10:00:00.000Z',
};

test('a secret shows where it may go and what it is for; none is stored in the browser', async t => {
  const everywhere = { ...sample, id: 'sec_2', name: 'OTHER', description: '', hosts: null, used_by_count: 1 };
  const answers = { 'GET /v0/secrets': list([sample, everywhere]), 'POST /v0/secrets': sample };
  const page = await openPage(t, '#/settings/secrets', { answers });
  t.deepEqual(page.lacks('API_KEY api.example.com · of the shop', '2 monitors', 'OTHER all hosts', '1 monitor'), []);
  await page.press('New secret');
  await page.type('Name', 'SHOP_KEY');
  const key = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n';
  await page.type('Value', key);
  t.false(
    Object.values({ ...page.window.sessionStorage })
      .join()
      .includes('PRIVATE KEY'),
  );
  await page.press('Create secret');
  const [sent] = page.server.sent.filter(({ method, path }) => method === 'POST' && path === '/v0/secrets');
  t.like(sent?.body, { name: 'SHOP_KEY', value: key, hosts: null });
});

test('a secret in use is not deleted, and the reason is shown', async t => {
  const answers = {
    'GET /v0/secrets': list([sample]),
    'DELETE /v0/secrets/{id}': problem(409, 'secret_in_use', 'two monitors name it'),
  };
  const page = await openPage(t, '#/settings/secrets', { answers });
  await page.press('Delete API_KEY');
  await page.press('Delete secret');
  t.deepEqual(page.lacks('Two monitors name it.'), []);
});

test('only what was changed is sent, and other hosts only while nobody changed the secret', async t => {
  const answers = { 'GET /v0/secrets': list([sample]), 'PATCH /v0/secrets/{id}': sample };
  const page = await openPage(t, '#/settings/secrets', { answers });
  const edit = async (label: string, text: string) => {
    await page.press('Edit API_KEY');
    await page.type(label, text);
    await page.press('Save');
    const { body, ifMatch } = page.server.sentTo('PATCH /v0/secrets/{id}').at(-1) ?? {};
    return { body, ifMatch };
  };
  t.deepEqual(await edit('Description', 'of the till'), { body: { description: 'of the till' }, ifMatch: null });
  await page.press('Edit API_KEY');
  await page.press('Replace Value, which is set');
  await page.type('Value', 'its successor');
  await page.press('Save');
  t.deepEqual(page.server.sentTo('PATCH /v0/secrets/{id}').at(-1)?.body, { value: 'its successor' });
  t.deepEqual(await edit('Only for these hosts', 'a.example'), {
    body: { hosts: ['a.example'] },
    ifMatch: sample.updated_at,
  });
});
