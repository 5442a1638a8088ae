import { fileURLToPath } from 'node:url';
import test from 'ava';
import { createOutbound, type OutboundError } from '#control-plane/platform/http/outbound.ts';
import { forbiddenTargets } from '#test/agent/probe/forbidden-targets.ts';
import { runEverywhere } from '#test/support/everywhere.ts';
import { namesResolver } from '#test/support/probe.ts';
import { answer, dripping, endless, ok, redirect, reset, startTarget } from '#test/support/target.ts';

type Reached = { url: string; hits: number; outcome: string };
type Report = { allowed: Reached[]; forbidden: Reached[]; rebinding: Reached[]; redirected: Reached[] };

const script = fileURLToPath(new URL('outbound-everywhere.ts', import.meta.url));
const policy = { base: 'loopback', allow: [] } as const;
const outbound = createOutbound({ resolver: namesResolver({}), policy, userAgent: 'Upquorum/test' });
const request = { headers: { 'content-type': 'text/plain' }, body: 'hello', bodyBytesMax: 65_536 };

test('where every address answers, our requests reach the public ones and none of the others', async t => {
  const report = await runEverywhere<Report>(script);
  t.deepEqual(
    report.allowed.filter(target => target.hits !== 1 || target.outcome !== '200'),
    [],
    'controls must work',
  );
  t.is(report.forbidden.length, forbiddenTargets.length);
  t.deepEqual(
    report.forbidden.filter(target => target.hits !== 0 || !/^(blocked_address|dns_failure)$/.test(target.outcome)),
    [],
  );
  t.deepEqual(
    report.rebinding.map(target => [target.hits, target.outcome]),
    [
      [1, '200'],
      [0, 'blocked_address'],
    ],
  );
  t.deepEqual(
    report.redirected.map(target => [target.hits, target.outcome]),
    [[1, '302']],
    'no redirect is followed',
  );
});

test('a request is sent as given, and its response body is cut at the limit', async t => {
  await using target = await startTarget(answer(201, 'x'.repeat(500_000), { 'retry-after': '7' }));
  const got = await outbound.post({ ...request, url: `${target.url}path?q=1` });
  t.deepEqual([got.status, got.body.length, got.headers['retry-after']], [201, 65_536, '7']);
  t.like(target.requests[0], { method: 'POST', url: '/path?q=1', body: 'hello' });
  t.like(target.requests[0]?.headers, { 'content-type': 'text/plain', 'user-agent': 'Upquorum/test' });
});

test('an endless response does not block: its status is read and its body cut', async t => {
  await using target = await startTarget(endless());
  t.is((await outbound.post({ ...request, url: target.url, bodyBytesMax: 0 })).status, 200);
  t.is((await outbound.post({ ...request, url: target.url })).body.length, 65_536);
  target.behaviour = dripping(50);
  t.is((await outbound.post({ ...request, url: target.url, bodyBytesMax: 0 })).status, 200);
});

test('each failure has a code, and none reveals the address', async t => {
  await using target = await startTarget(reset());
  await using silent = await startTarget(() => undefined);
  const cases: [string, string][] = [
    [target.url, 'connect_failed'],
    ['http://nowhere.example/secret', 'dns_failure'],
    ['http://10.0.0.1/secret', 'blocked_address'],
    ['http://[::ffff:10.0.0.1]/secret', 'blocked_address'],
    [`https://127.0.0.1:${target.port}/secret`, 'connect_failed'],
    [silent.url, 'timeout'],
  ];
  const outcomes = await Promise.all(
    cases.map(
      async ([url]) => (await t.throwsAsync<OutboundError>(outbound.post({ ...request, url }))) as OutboundError,
    ),
  );
  for (const [index, error] of outcomes.entries()) {
    const [url, code] = cases[index] as [string, string];
    if (url.startsWith('https')) t.true(['tls_error', 'connect_failed'].includes(error.code));
    else t.is(error.code, code as OutboundError['code'], url);
    t.false(/secret|127\.0|10\.0/.test(`${error.message} ${error.stack}`));
  }
});

test('a redirect is returned, not followed', async t => {
  await using other = await startTarget(ok());
  await using target = await startTarget(redirect(307, other.url));
  t.is((await outbound.post({ ...request, url: target.url })).status, 307);
  t.is(other.requests.length, 0);
});
