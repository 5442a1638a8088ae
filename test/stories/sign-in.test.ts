import test from 'ava';
import { until, withSql } from '#test/support/control-plane.ts';
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

test('steps sign in by what a secret of the project holds, and nobody is shown it', async t => {
  const world = await openWorld(t, database(), ['step-a', 'step-b']);
  const endpoint = await startTokenEndpoint();
  const basic = `Basic ${Buffer.from('probe:sesame of the door').toString('base64')}`;
  const target = await startTarget(({ url, headers: { authorization = '' } }, response) => {
    const isRight = url === '/door' ? authorization === basic : authorization.startsWith('Bearer token-');
    response.writeHead(isRight ? 200 : 401, { 'x-echo': authorization }).end();
  });
  t.teardown(() => Promise.all([endpoint[Symbol.asyncDispose](), target[Symbol.asyncDispose]()]));
  for (const [name, value] of [
    ['DOOR', 'sesame of the door'],
    ['CLIENT', 'sesame of the client'],
  ])
    t.is((await world.api('POST', '/v0/secrets', { name, value, hosts: ['127.0.0.1'] })).status, 201);
  const client = { type: 'oauth2', token_url: endpoint.url, client_id: 'shop', client_secret: '{{secret.CLIENT}}' };
  const door = { type: 'basic', username: 'probe', password: '{{secret.DOOR}}' };
  const echo = { type: 'header', name: 'x-echo', operator: 'matches', value: '^(Basic|Bearer)' };
  const steps = [
    { name: 'Door', url: `${target.url}door`, auth: door, assertions: [echo] },
    { name: 'Room', url: `${target.url}room`, auth: client },
  ];
  const settings = { name: 'house', kind: 'multistep', interval_seconds: 30, regions: world.regions };
  const made = await world.api('POST', '/v0/monitors', { ...settings, multistep: { steps } });
  t.is(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body;
  t.is(made.body.multistep.steps[0].auth.password, '********');
  await until(
    () => world.status(id),
    value => value === 'up',
  );
  const moved = made.body.multistep.steps.toReversed();
  t.is((await world.api('PATCH', `/v0/monitors/${id}`, { multistep: { steps: moved } })).status, 200);
  await until(
    async () => (await world.api('GET', `/v0/monitors/${id}/checks?limit=1`)).body.data[0],
    check => check?.steps[0].name === 'Room' && check.steps[1].status === 'ok',
  );
  const checks = (await world.api('GET', `/v0/monitors/${id}/checks`)).body;
  const elsewhere = [{ ...moved[1], url: 'http://127.0.0.2:1/' }];
  const stolen = await world.api('PATCH', `/v0/monitors/${id}`, { multistep: { steps: elsewhere } });
  t.like(stolen.body, { errors: [{ pointer: '/multistep/steps/0/auth/password', code: 'not_allowed' }] });
  const audit = (await world.api('GET', '/v0/audit')).body;
  const config = (await world.api('GET', '/v0/config/export')).body;
  const shown = JSON.stringify([made.body, checks, audit, config, await readTables(database())]);
  for (const hidden of ['sesame of', basic.slice(6), tokenOf(1)]) t.false(shown.includes(hidden), hidden);
  const row = await withSql(
    database(),
    sql => sql.row`select regions, needs, own::text as own from monitors where id = ${id}`,
  );
  t.like(row, { regions: [], needs: 'auth.oauth2 auth.steps gateway.3 gateway.4 multistep secrets.1' });
  t.false(JSON.stringify(row).includes('client_id'), 'a version that does not know it shows nothing of it');
  const older = withSql(
    database(),
    sql => sql.run`update monitors set needs = 'gateway.3 multistep secrets.1' where id = ${id}`,
  );
  await t.throwsAsync(older, { message: /monitors_step_auth/ });
});
