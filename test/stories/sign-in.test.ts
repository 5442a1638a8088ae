import test from 'ava';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { readTables } from '#test/support/tables.ts';
import { startTarget } from '#test/support/target.ts';
import { startTokenEndpoint, tokenOf } from '#test/support/token-endpoint.ts';
import { openWorld } from '#test/support/world.ts';

const database = useDatabase(test);

test('monitors sign in with a token, and one whose endpoint fails is down and says so, without secrets', async t => {
  const world = await openWorld(t, database(), ['token-a', 'token-b']);
  const endpoint = await startTokenEndpoint();
  const target = await startTarget(({ headers }, response) => {
    response.setHeader('x-echo', headers.authorization ?? '');
    response.writeHead(headers.authorization?.startsWith('Bearer token-') ? 200 : 401).end();
  });
  t.teardown(() => Promise.all([endpoint[Symbol.asyncDispose](), target[Symbol.asyncDispose]()]));
  const give = endpoint.behaviour;
  const secret = 'sesame of the client';
  const made = await world.api('POST', '/v0/secrets', { name: 'CLIENT', value: secret, hosts: ['127.0.0.1'] });
  const auth = { type: 'oauth2', token_url: endpoint.url, client_id: 'shop', client_secret: '{{secret.CLIENT}}' };
  const settings = { url: target.url, auth };
  const id = await world.monitor({ name: 'shop', ...settings });
  const sent = `Basic ${Buffer.from('shop:sesame+of+the+client').toString('base64')}`;
  t.true(endpoint.requests.every(({ headers }) => headers.authorization === sent));
  const checks = async () => (await world.api('GET', `/v0/monitors/${id}/checks?limit=50`)).body.data;
  const good = await checks();
  t.true(good.some(({ timings }: { timings: { auth_ms: number | null } }) => (timings.auth_ms ?? 0) > 0));
  const assertions = [{ type: 'header', name: 'x-echo', operator: 'eq', value: 'else' }];
  const tried = { ...settings, assertions, interval_seconds: 60, regions: ['token-a'] };
  const tested = await world.api('POST', '/v0/monitors/test', tried);
  const [{ result, response }] = tested.body.data;
  t.is(result.assertions[0].actual, 'Bearer [redacted]');
  t.is(response.headers['x-echo'], 'Bearer [redacted]');

  target.behaviour = (_request, response) => response.writeHead(401).end();
  endpoint.behaviour = (_request, response) => response.writeHead(503).end();
  await world.api('POST', `/v0/monitors/${id}/check-now`, {});
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  const host = `127.0.0.1:${endpoint.port}`;
  const [alert] = await world.alerts();
  const reason = { error_code: 'auth_failed', phase: 'auth', host, summary: 'the token endpoint answered 503' };
  t.like(alert, { reason } as never);
  const explained = (await world.api('GET', `/v0/alerts/${alert?.id}/explanation`)).body;
  t.true(explained.sentence.includes(host), explained.sentence);

  endpoint.behaviour = give;
  target.behaviour = (_request, response) => response.end();
  await world.api('PATCH', `/v0/secrets/${made.body.id}`, { value: 'sesame of another day' });
  const renewed = `Basic ${Buffer.from('shop:sesame+of+another+day').toString('base64')}`;
  await until(
    async () => endpoint.requests.at(-1)?.headers.authorization,
    value => value === renewed,
  );
  await until(
    () => world.status(id),
    value => value === 'up',
  );
  const audit = (await world.api('GET', '/v0/audit')).body;
  const shown = JSON.stringify([
    good,
    await checks(),
    tested.body,
    alert,
    explained,
    audit,
    await readTables(database()),
  ]);
  for (const hidden of ['sesame of', sent, renewed.slice(6), ...[1, 2, 3].map(tokenOf)])
    t.false(shown.includes(hidden));
});
