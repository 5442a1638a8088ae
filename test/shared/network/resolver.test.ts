import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { HostsFile, parseHosts } from '#shared/network/hosts-file.ts';
import { type AskServer, ResolveError, Resolver } from '#shared/network/resolver.ts';

const noHosts = new HostsFile('/dev/null');

/** A resolver whose clock and answers are set by hand; `asked` is what went to the server. */
function makeResolver(answers: Record<string, string[] | string>, ttl = 60) {
  const clock = { ms: 0 };
  const asked: string[] = [];
  const ask: AskServer = async (name, family) => {
    asked.push(`${family} ${name}`);
    const found = answers[name] ?? 'ENOTFOUND';
    if (typeof found === 'string') throw Object.assign(new Error(found), { code: found });
    const addresses = found.filter(address => address.includes(':') === (family === 6));
    if (addresses.length === 0) throw Object.assign(new Error('no data'), { code: 'ENODATA' });
    return addresses.map(address => ({ address, ttl }));
  };
  return { clock, asked, resolver: new Resolver(ask, noHosts, () => clock.ms) };
}

test('IPv4 comes first, and a name with IPv6 alone resolves', async t => {
  const { resolver } = makeResolver({ 'both.test': ['2a00::1', '192.0.2.1'], 'six.test': ['2a00::2'] });
  t.is((await resolver.resolve('both.test'))[0], '192.0.2.1');
  t.deepEqual(await resolver.resolve('SIX.test.'), ['2a00::2']);
});

test('an answer is kept for its time to live and not longer', async t => {
  const { resolver, asked, clock } = makeResolver({ 'a.test': ['192.0.2.1'] }, 60);
  for (const ms of [0, 59_000]) {
    clock.ms = ms;
    await resolver.resolve('a.test');
  }
  t.deepEqual(asked, ['6 a.test', '4 a.test']);
  clock.ms = 60_001;
  await resolver.resolve('a.test');
  t.is(asked.filter(name => name === '4 a.test').length, 2);
});

test('a time to live of a day is cut to five minutes, one of zero keeps nothing', async t => {
  const long = makeResolver({ 'a.test': ['192.0.2.1'] }, 86_400);
  await long.resolver.resolve('a.test');
  long.clock.ms = 300_001;
  await long.resolver.resolve('a.test');
  t.is(long.asked.filter(name => name === '4 a.test').length, 2);
  const none = makeResolver({ 'a.test': ['192.0.2.1'] }, 0);
  await none.resolver.resolve('a.test');
  await none.resolver.resolve('a.test');
  t.is(none.asked.filter(name => name === '4 a.test').length, 2);
});

test('a name that does not exist is asked for again by the second attempt', async t => {
  const { resolver, asked, clock } = makeResolver({});
  await t.throwsAsync(resolver.resolve('no.test'), { instanceOf: ResolveError, message: 'ENOTFOUND' });
  clock.ms = 500;
  await t.throwsAsync(resolver.resolve('no.test'));
  t.is(asked.length, 2);
  clock.ms = 1000;
  await t.throwsAsync(resolver.resolve('no.test'));
  t.is(asked.length, 4);
});

test('the same question asked by many at once goes out once', async t => {
  const { resolver, asked } = makeResolver({ 'a.test': ['192.0.2.1'] });
  await Promise.all(Array.from({ length: 50 }, () => resolver.resolve('a.test')));
  t.is(asked.filter(name => name === '4 a.test').length, 1);
});

test('a silent resolver is told from one that answers other names', async t => {
  const { resolver } = makeResolver({ 'a.test': ['192.0.2.1'], 'dead.test': 'ETIMEOUT', '': 'ETIMEOUT' });
  await t.throwsAsync(resolver.resolve('dead.test'), { message: 'ETIMEOUT' });
  t.false(resolver.answersLately());
  await resolver.resolve('a.test');
  t.true(resolver.answersLately());
});

test('the cache is bounded', async t => {
  const names = Object.fromEntries(Array.from({ length: 12_000 }, (_, place) => [`n${place}.test`, ['192.0.2.1']]));
  const { resolver, asked } = makeResolver(names);
  for (const name of Object.keys(names)) await resolver.resolve(name);
  asked.length = 0;
  await resolver.resolve('n0.test');
  await resolver.resolve('n11999.test');
  t.deepEqual(asked, ['6 n0.test', '4 n0.test']);
});

test('the hosts file goes before the servers, and localhost is this host', async t => {
  t.deepEqual(parseHosts('127.0.0.1 a b # c\n::1 a\nnonsense d').get('a'), ['127.0.0.1', '::1']);
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-hosts-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'hosts'), '192.0.2.7 Printer.test\n');
  const resolver = new Resolver(() => Promise.reject(new Error('asked')), new HostsFile(join(folder, 'hosts')));
  t.deepEqual(await resolver.resolve('printer.test'), ['192.0.2.7']);
  t.deepEqual(await resolver.resolve('app.localhost'), ['127.0.0.1', '::1']);
});
