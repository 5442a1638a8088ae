import test, { type ExecutionContext } from 'ava';
import { startTestAgent } from '#test/support/agent.ts';
import { apiOf, createRegions, createTenant, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent } from '#test/support/fake-agent.ts';
import { sharedPair } from '#test/support/shared-replica.ts';
import { readTables } from '#test/support/tables.ts';
import { answer, startTarget } from '#test/support/target.ts';

const database = useDatabase(test);
let worlds = 0;

/** Two replicas: agents connect to the second, requests go to the first. */
async function openWorld(t: ExecutionContext) {
  worlds += 1;
  const number = worlds;
  const code = (name: string) => `test-${name}-${number}`;
  const names = ['real', 'old', 'mute', 'empty'] as const;
  const secrets = await createRegions(database(), names.map(code));
  const { token, projectId } = await createTenant(database());
  const [front, gateway] = await sharedPair(database());
  const secretOf = (name: string) => secrets[code(name)]?.secret ?? '';
  const agent = await startTestAgent(gateway, { env: { AGENT_SECRET: secretOf('real') } });
  t.teardown(() => agent[Symbol.asyncDispose]());
  const old = await connectFakeAgent(gateway.url, secretOf('old'));
  t.teardown(() => old[Symbol.asyncDispose]());
  const mute = await connectFakeAgent(gateway.url, secretOf('mute'), undefined, ['probe.now']);
  t.teardown(() => mute[Symbol.asyncDispose]());
  const api = apiOf(front.url, token);
  await until(
    async () =>
      ((await api('GET', '/v0/regions?limit=200')).body.data as { code: string; agents_online: number }[]).filter(
        region => names.slice(0, 3).map(code).includes(region.code) && region.agents_online === 1,
      ).length,
    3,
  );
  const target = await startTarget(answer(200, 'hello', { 'x-answer': 'yes' }));
  t.teardown(() => target[Symbol.asyncDispose]());
  return { api, code, target, projectId, agentId: secrets[code('real')]?.id, old, mute, front };
}

const common = { interval_seconds: 10, timeout_ms: 2000 };

test.serial('a monitor is tried from regions of any replica, and nothing of it is kept', async t => {
  const { api, code, target, agentId, old } = await openWorld(t);
  const before = await readTables(database());
  const { status, body } = await api('POST', '/v0/monitors/test', {
    ...common,
    url: target.url,
    regions: ['real', 'old', 'empty'].map(code),
    assertions: [
      { type: 'header', name: 'x-answer', operator: 'eq', value: 'no' },
      { type: 'latency_p95', operator: 'lt', value_ms: 100 },
      { type: 'status', operator: 'eq', value: 200 },
    ],
  });
  t.is(status, 200, JSON.stringify(body));
  const [real, ...others] = body.data;
  t.like(real, { region: code('real'), agent_id: agentId, problem: null });
  t.like(real.result, { status: 'err', status_code: 200, error: null, tls: null });
  t.deepEqual(
    real.result.assertions.map(({ type, passed, actual }: Record<string, unknown>) => [type, passed, actual]),
    [
      ['header', false, 'yes'],
      ['status', true, '200'],
    ],
  );
  t.like(real.response, { status_code: 200, body_excerpt: 'hello' });
  t.is(real.response.headers['x-answer'], 'yes');
  t.deepEqual(others, [
    { region: code('old'), agent_id: null, result: null, problem: 'no_able_agent', response: null },
    { region: code('empty'), agent_id: null, result: null, problem: 'no_agent', response: null },
  ]);
  t.deepEqual(
    old.messages.filter(({ type }) => type === 'probe_now'),
    [],
    'it would not understand it',
  );
  const after = await readTables(database());
  for (const table of ['monitors', 'monitor_states', 'check_results', 'check_shapes', 'audit', 'facts', 'probes'])
    t.deepEqual(after[table], before[table], table);
  t.is(target.requests.length, 1);
});

test.serial('a stored monitor lends what is masked, and nothing of the request comes back', async t => {
  const { api, code, target } = await openWorld(t);
  const secrets = { Authorization: 'Bearer token-of-the-customer', body: '{"password":"hunter2hunter2"}' };
  const made = await api('POST', '/v0/monitors', {
    ...common,
    name: 'shop',
    url: target.url,
    method: 'POST',
    headers: { Authorization: secrets.Authorization },
    body: secrets.body,
    regions: [code('empty')],
  });
  t.is(made.status, 201);
  target.behaviour = (request, response) => {
    response.setHeader('x-echo', String(request.headers.authorization));
    response.end(`${request.headers.authorization} ${target.requests.at(-1)?.body} ${'é'.repeat(5000)}`);
  };
  const { status, body } = await api('POST', '/v0/monitors/test', {
    ...common,
    url: `${target.url}?key=query-of-the-customer`,
    method: 'POST',
    headers: { Authorization: '********' },
    body: '********',
    regions: [code('real')],
    monitor_id: made.body.id,
  });
  t.is(status, 200, JSON.stringify(body));
  const request = target.requests.at(-1);
  t.is(request?.headers.authorization, secrets.Authorization);
  t.is(request?.body, secrets.body);
  const [{ response, result }] = body.data;
  t.is(result.status, 'ok');
  t.is(response.headers['x-echo'], '[redacted]');
  t.true(response.body_excerpt.startsWith('[redacted] [redacted] é'), response.body_excerpt.slice(0, 100));
  t.true(Buffer.byteLength(response.body_excerpt) <= 4096 && response.body_excerpt.isWellFormed());
  for (const secret of ['token-of-the-customer', 'hunter2hunter2', 'query-of-the-customer'])
    t.false(JSON.stringify(body).includes(secret), secret);

  const refused = await api('POST', '/v0/monitors/test', {
    ...common,
    url: target.url,
    headers: { Authorization: '********' },
    regions: [code('real')],
  });
  t.is(refused.status, 422);
  t.like(refused.body.errors[0], { pointer: '/headers/Authorization', code: 'not_allowed' });
  const unknown = { ...common, url: target.url, regions: [code('real')], monitor_id: 'mon_1', name: 'x' };
  t.deepEqual(
    (await api('POST', '/v0/monitors/test', unknown)).body.errors.map((error: { pointer: string }) => error.pointer),
    ['/name', '/monitor_id'],
  );
});

test.serial('an agent that does not answer is a timeout; two tests run at once, ten in a minute', async t => {
  const { api, code, target, mute } = await openWorld(t);
  const body = { ...common, timeout_ms: 500, url: target.url, regions: [code('mute')] };
  const slow = [api('POST', '/v0/monitors/test', body), api('POST', '/v0/monitors/test', body)];
  const asked = () => mute.messages.filter(({ type }) => type === 'probe_now').length;
  await until(asked, 2);
  const third = await api('POST', '/v0/monitors/test', body);
  t.is(third.status, 429);
  t.regex(third.body.detail, /two tests/);
  for (const { status, body: answered } of await Promise.all(slow)) {
    t.is(status, 200);
    t.is(answered.data[0].problem, 'timeout');
  }
  mute.send({ type: 'probed', request_id: 'nobody asked', result: null, response: null });
  const quick = { ...body, regions: [code('empty')] };
  const statuses: number[] = [];
  // One more is granted each six seconds, in which a busy machine may make only a few.
  for (let call = 0; call < 60 && statuses.at(-1) !== 429; call++)
    statuses.push((await api('POST', '/v0/monitors/test', quick)).status);
  t.deepEqual(statuses.slice(0, 7), Array(7).fill(200));
  t.is(statuses.at(-1), 429);
});
