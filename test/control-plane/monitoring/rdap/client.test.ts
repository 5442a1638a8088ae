import test from 'ava';
import { lookUp } from '#control-plane/monitoring/rdap/client.ts';
import { createOutbound } from '#control-plane/platform/http/outbound.ts';
import { hourMs } from '#shared/duration.ts';
import { namesResolver } from '#test/support/probe.ts';
import { verisign } from '#test/support/rdap-answers.ts';
import { answer, type Behaviour, endless, redirect, reset, startTarget } from '#test/support/target.ts';

const now = Date.UTC(2026, 10, 26, 12);
const reader = createOutbound({
  resolver: namesResolver({}),
  policy: { base: 'loopback', allow: [] },
  userAgent: 'Upquorum/test',
});
const ask = (base: string, turn = async () => true) => lookUp(reader, { name: 'example.com', base, turn, nowMs: now });

const good = answer(200, JSON.stringify(verisign), { 'content-type': 'application/rdap+json' });

test('a registry is asked for the domain, and says what it knows', async t => {
  await using registry = await startTarget(good);
  const lookup = await ask(`${registry.url}v1/`);
  t.like(lookup, { type: 'found', facts: { name: 'example.com', server: `127.0.0.1:${registry.port}` } });
  t.like(registry.requests[0], { method: 'GET', url: '/v1/domain/example.com' });
  t.regex(registry.requests[0]?.headers.accept ?? '', /^application\/rdap\+json/);
});

test('each answer that is none about the domain has its reason', async t => {
  await using registry = await startTarget();
  const cases: [Behaviour, RegExp][] = [
    [answer(500), /^the server answered with status 500$/],
    [answer(200, '<html>'), /^the answer is not one about this domain$/],
    [answer(200, JSON.stringify({ ...verisign, notices: 'x'.repeat(300_000) })), /^the answer is not/],
    [endless(), /^the answer is not one about this domain$/],
    [reset(), /^the connection to the server failed$/],
    [redirect(302, 'ftp://127.0.0.1/'), /status 302$/],
    [redirect(302, 'http://user:pass@127.0.0.1/'), /status 302$/],
    [redirect(302, 'http://10.0.0.1/domain/example.com'), /^the address of the server is not allowed$/],
    [redirect(302, 'http://nowhere.example/'), /^the name of the server could not be resolved$/],
  ];
  for (const [behaviour, message] of cases) {
    registry.behaviour = behaviour;
    const lookup = await ask(registry.url);
    t.is(lookup.type, 'failed');
    if (lookup.type === 'failed') t.regex(lookup.message, message);
  }
  registry.behaviour = answer(404, '{"errorCode":404}');
  t.like(await ask(registry.url), { type: 'not_registered' });
});

test('three redirects are followed, a fourth is not, and each waits for a turn at its server', async t => {
  await using registry = await startTarget();
  const after = (redirects: number): Behaviour => {
    let left = redirects;
    return (request, response) => (left-- > 0 ? redirect(302, '/again') : good)(request, response);
  };
  const turns: string[] = [];
  const turn = async (server: string) => turns.push(server) > 0;
  registry.behaviour = after(3);
  t.like(await lookUp(reader, { name: 'example.com', base: registry.url, turn, nowMs: now }), { type: 'found' });
  t.deepEqual(turns, Array(3).fill(`127.0.0.1:${registry.port}`));
  registry.behaviour = after(4);
  t.like(await ask(registry.url), { type: 'failed', message: 'more than 3 redirects' });
  registry.behaviour = after(1);
  const refused = await ask(registry.url, async () => false);
  t.like(refused, { type: 'failed', message: 'the server asked to be left alone for a while' });
});

test('a server that is asked too often says for how long it is to be left alone', async t => {
  await using registry = await startTarget();
  const cases: [number, string | undefined, number | null][] = [
    [429, '120', 120_000],
    [429, new Date(now + 2 * hourMs).toUTCString(), 2 * hourMs],
    [429, new Date(now - hourMs).toUTCString(), 0],
    [429, '999999999', 24 * hourMs],
    [429, 'soon', hourMs],
    [429, undefined, hourMs],
    [503, '60', 60_000],
    [503, undefined, null],
    [500, '60', null],
  ];
  for (const [status, header, waitMs] of cases) {
    registry.behaviour = answer(status, '', header === undefined ? {} : { 'retry-after': header });
    t.like(await ask(registry.url), { type: 'failed', retryAfterMs: waitMs }, `${status} ${header}`);
  }
});
