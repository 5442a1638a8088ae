import test from 'ava';
import { createApiClient } from '#control-plane/web/api-client/client.ts';
import { externalUrl, postUpdate } from '#control-plane/web/dashboard/app/features/incidents/post-update.ts';

test('resolving uses its own operation, once', async t => {
  const sent: [path: string, body: unknown][] = [];
  const client = createApiClient({
    baseUrl: 'http://up.example',
    fetch: async request => {
      sent.push([new URL(request.url).pathname, await request.json()]);
      return Response.json({});
    },
  });
  const open = { id: 'inc_1', state: 'monitoring' } as const;
  await postUpdate(client, open, 'resolved', 'Fixed.');
  await postUpdate(client, { id: 'inc_1', state: 'resolved' }, 'resolved', 'More.');
  await postUpdate(client, open, 'identified', 'x');
  t.deepEqual(sent, [
    ['/v0/incidents/inc_1/resolve', { body: 'Fixed.' }],
    ['/v0/incidents/inc_1/updates', { state: 'resolved', body: 'More.' }],
    ['/v0/incidents/inc_1/updates', { state: 'identified', body: 'x' }],
  ]);
});

test('the link field of a post-mortem shows external addresses only', t => {
  const url = 'https://up.example/status/acme/incidents/inc_1';
  t.is(externalUrl({ url, postmortem_url: null }), '');
  t.is(externalUrl({ url, postmortem_url: `${url}#postmortem` }), '');
  t.is(externalUrl({ url, postmortem_url: 'https://blog.example/x' }), 'https://blog.example/x');
});
