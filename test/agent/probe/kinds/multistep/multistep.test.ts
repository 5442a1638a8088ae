import type { IncomingMessage, ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { CpuShares } from '#agent/lanes/cpu-shares.ts';
import { AddressRounds } from '#agent/probe/addresses/rounds.ts';
import { TokenCache } from '#agent/probe/auth/token-cache.ts';
import { type CheckTools, check, checkAndShow } from '#agent/probe/check.ts';
import { SecretIndexes } from '#agent/probe/secret-indexes.ts';
import { showResponse } from '#agent/probe/show-response.ts';
import type { Assertion } from '#shared/assertions/assertion.ts';
import { selectValues } from '#shared/assertions/json-path.ts';
import { wireResultSchema } from '#shared/check-result.ts';
import type { Step } from '#shared/checks/steps.ts';
import { FairPool } from '#shared/fairness/fair-pool.ts';
import { Routed } from '../../../../support/dns-check.ts';
import { makeAssignment } from '../../../../support/gateway.ts';
import { withTime } from '../../../../support/patience.ts';
import { probeTools, stepOf } from '../../../../support/probe.ts';
import { startTarget } from '../../../../support/target.ts';

const attempt = { kind: 'scheduled', scheduledAt: 1_000_000, attempt: 1 } as const;
const secret = 'tok"en/of the-session';
const status = (value: number): Assertion => ({ type: 'status', operator: 'eq', value });

function toolsOf(): CheckTools {
  const bodies = new FairPool(2_000_000, () => 1);
  const selectFor: CheckTools['selectFor'] = () => async (path, document) => selectValues(path, document.value);
  const common = {
    secrets: new SecretIndexes(() => 1),
    cpu: new CpuShares(() => 1),
    decideFor: null,
    tokens: new TokenCache(),
    rounds: new AddressRounds(),
  };
  return { ...probeTools({ health: new Routed() }), selectFor, bodies, ...common };
}

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

/** A shop: a login gives a token and a cookie, an order an id, and everything is repeated to who asks. */
async function openShop(t: ExecutionContext, answer?: (seen: Seen, response: ServerResponse) => boolean) {
  const seen: Seen[] = [];
  const target = await startTarget((request, response) => {
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: target.requests.at(-1)?.body ?? '' };
    seen.push(one);
    if (answer?.(one, response) === true) return;
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-echo', encodeURIComponent(headers.authorization ?? ''));
    if (url === '/login') response.setHeader('set-cookie', 'session=cookie-of-the-run; Path=/');
    const id = url === '/orders' ? { id: 4711 } : {};
    response.end(JSON.stringify({ token: secret, ...id, echo: `${headers.authorization} ${one.body}` }));
  });
  t.teardown(() => target[Symbol.asyncDispose]());
  return { url: target.url.replace(/\/$/, ''), seen };
}

const login = (url: string, changes: Partial<Step> = {}) =>
  stepOf({
    name: 'log in',
    url: `${url}/login`,
    method: 'POST',
    body: '{"run":"{{run.id}}"}',
    extract: [{ name: 'token', from: 'json_path', path: '$.token' }],
    ...changes,
  });
const order = (url: string, changes: Partial<Step> = {}) =>
  stepOf({
    name: 'order',
    url: `${url}/orders`,
    method: 'POST',
    headers: { Authorization: 'Bearer {{token}}' },
    body: '{"token":"{{token|json}}"}',
    extract: [
      { name: 'order', from: 'json_path', path: '$.id' },
      { name: 'kind', from: 'header', header: 'Content-Type' },
      { name: 'number', from: 'regex', pattern: '"id":(\\d)\\d+' },
    ],
    ...changes,
  });
const cancel = (url: string) =>
  stepOf({ name: 'cancel', url: `${url}/orders/{{order}}?by={{token}}`, method: 'DELETE', always: true });

const run = (steps: Step[], changes: object = {}) =>
  check(
    makeAssignment({ url: 'http://target.test/', timeout_ms: 20_000, check: { kind: 'multistep', steps }, ...changes }),
    attempt,
    toolsOf(),
  );
const statuses = (result: Awaited<ReturnType<typeof run>>) =>
  result.facts?.steps?.map(({ status: one, reason }) => reason ?? one);

test('values go from step to step, with cookies and a name for the run', async t => {
  const shop = await openShop(t);
  const result = await run([login(shop.url), order(shop.url), cancel(shop.url)]);
  t.like(result, { status: 'ok', error: null, failure_source: null, status_code: 200 });
  t.deepEqual(statuses(result), ['ok', 'ok', 'ok']);
  t.deepEqual(wireResultSchema.parse({ seq: 1, ...result }), { seq: 1, ...result });
  const [first, second, third] = shop.seen;
  t.regex(first?.body ?? '', /^\{"run":"[0-9a-z]{26}"\}$/);
  t.is(second?.headers.authorization, `Bearer ${secret}`);
  t.deepEqual(JSON.parse(second?.body ?? ''), { token: secret });
  t.is(second?.headers.cookie, 'session=cookie-of-the-run');
  t.is(third?.url, `/orders/4711?by=${encodeURIComponent(secret)}`);
  const [a, b] = result.facts?.steps ?? [];
  t.true(Math.abs((result.latency_ms ?? 0) - (a?.latency_ms ?? 0) - (b?.latency_ms ?? 0)) < 0.01, 'without the last');
  t.deepEqual(
    result.assertions.map(({ index, step }) => [index, step]),
    [
      [0, 0],
      [1, 1],
      [2, 2],
    ],
  );
});

for (const failing of [0, 1])
  test(`a failure of step ${failing + 1} ends the run, and the last step undoes what was done`, async t => {
    const shop = await openShop(t);
    const assertions = [status(201)];
    const steps = [login(shop.url), order(shop.url), stepOf({ name: 'pay', url: `${shop.url}/pay` }), cancel(shop.url)];
    const result = await run(steps.map((one, index) => (index === failing ? { ...one, assertions } : one)));
    t.like(result, { status: 'err', error: null, failure_source: 'target', status_code: 200 });
    const expected =
      failing === 0
        ? ['err', 'earlier_failed', 'earlier_failed', 'missing_variable']
        : ['ok', 'err', 'earlier_failed', 'ok'];
    t.deepEqual(statuses(result), expected);
    t.is(shop.seen.filter(({ method }) => method === 'DELETE').length, failing);
  });

test('a compensation that fails alone fails the check; beside another failure it is only shown', async t => {
  const shop = await openShop(t, ({ method }, response) => {
    if (method === 'DELETE') response.writeHead(500).end();
    return method === 'DELETE';
  });
  const alone = await run([login(shop.url), order(shop.url), cancel(shop.url)]);
  t.like(alone, { status: 'err', status_code: 500, failure_source: 'target' });
  const both = await run([login(shop.url), order(shop.url, { assertions: [status(201)] }), cancel(shop.url)]);
  t.like(both, { status: 'err', status_code: 200 });
  t.deepEqual(statuses(both), ['ok', 'err', 'err']);
});

test('a last step is not run where nothing was sent, and time is set aside for it', async t => {
  const shop = await openShop(t, ({ url }) => url === '/slow');
  const undo = stepOf({ name: 'undo', url: `${shop.url}/undo`, always: true });
  const blocked = await run([stepOf({ name: 'first', url: 'http://192.0.2.1/' }), undo]);
  t.like(blocked, { error: { code: 'blocked_address', host: '192.0.2.1:80' } });
  t.deepEqual(statuses(blocked), ['err', 'nothing_sent']);
  const slow = await withTime(
    timeout_ms => run([stepOf({ name: 'slow', url: `${shop.url}/slow` }), undo], { timeout_ms }),
    result => statuses(result)?.[1] === 'ok',
  );
  t.like(slow, { error: { code: 'timeout' }, latency_ms: null });
  t.deepEqual(statuses(slow), ['err', 'ok']);
  const own = await run([stepOf({ url: `${shop.url}/slow`, timeout_ms: 100 }), undo]);
  t.deepEqual(statuses(own), ['err', 'ok']);
});

const missing: [Step['extract'][number], string][] = [
  [{ name: 'x', from: 'json_path', path: '$.none' }, '`x` is not in the body'],
  [{ name: 'x', from: 'json_path', path: '$' }, '`x` is an object or a list in the body'],
  [{ name: 'x', from: 'header', header: 'x-none' }, '`x` is not among the headers'],
  [{ name: 'x', from: 'regex', pattern: 'nowhere' }, '`x` is not found in the body'],
];
for (const [extract, message] of missing)
  test(`what cannot be taken fails its step: ${message}`, async t => {
    const shop = await openShop(t);
    const result = await run([login(shop.url, { extract: [extract] })]);
    t.like(result, { status: 'err', failure_source: 'target', error: { code: 'extract_failed', message } });
  });

test('a value with a line break cannot become a header', async t => {
  const shop = await openShop(t, (_, response) => {
    response.end(JSON.stringify({ token: 'abcdef\r\nX-Other: 1' }));
    return true;
  });
  const result = await run([login(shop.url), order(shop.url)]);
  t.is(result.error?.code, 'extract_failed');
  t.is(shop.seen.length, 1);
});

test('what was taken from answers is shown nowhere, however an answer repeats it', async t => {
  const shop = await openShop(t);
  const wrong: Assertion[] = [
    { type: 'json_path', path: '$.echo', operator: 'eq', value: 'x' },
    { type: 'header', name: 'x-echo', operator: 'eq', value: 'x' },
  ];
  const steps = [login(shop.url), order(shop.url, { assertions: wrong })];
  const assignment = makeAssignment({
    url: 'http://target.test/',
    timeout_ms: 20_000,
    check: { kind: 'multistep', steps },
  });
  const { result, steps: shown } = await checkAndShow(assignment, attempt, toolsOf(), showResponse);
  const all = JSON.stringify([result, shown]);
  for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), 'cookie-of-the-run'])
    t.false(all.includes(JSON.stringify(form).slice(1, -1)), form);
  t.true(all.includes('[redacted]'));
  t.deepEqual(
    shown.map(({ name, response }) => [name, response?.status_code]),
    [
      ['log in', 200],
      ['order', 200],
    ],
  );
});

test('assertions of the monitor itself look at the time of all steps', async t => {
  const shop = await openShop(t);
  const slow: Assertion = { type: 'latency', operator: 'lt', value_ms: 0.001, on_fail: 'warn' };
  const result = await run([login(shop.url)], { assertions: [slow] });
  t.is(result.status, 'ok');
  if (result.delayed_ms === undefined) t.like(result.assertions[0], { index: 0, type: 'latency', passed: false });
  t.like(result.assertions[1], { index: 1, step: 0, passed: true });
});
